// The options of the verbs, each with the verbs that take it. The help of a verb
// is made from this table; CommandLine.cpp says where values go.
include "llvm/Option/OptParser.td"

def OptimizeVerb : OptionVisibility;
def VerifyVerb : OptionVisibility;
def AuditVerb : OptionVisibility;
def LiftVerb : OptionVisibility;
def LowerVerb : OptionVisibility;
def AnswerVerb : OptionVisibility;
def RewardVerb : OptionVisibility;
def JournalVerb : OptionVisibility;
// The worker, which other programs start: no verb for people.
def WorkerVerb : OptionVisibility;
def ReportVerb : OptionVisibility;
def ContractVerb : OptionVisibility;

defvar ofAll = [OptimizeVerb, VerifyVerb, AuditVerb, LiftVerb, LowerVerb,
                AnswerVerb, RewardVerb, JournalVerb, ReportVerb,
                ContractVerb];
defvar ofKernels = [OptimizeVerb, VerifyVerb, AuditVerb, LiftVerb, LowerVerb,
                    RewardVerb, WorkerVerb, ContractVerb];
defvar ofModels = [OptimizeVerb, AnswerVerb];

class Switch<string name, list<OptionVisibility> verbs, string help>
    : Flag<["--", "-"], name>, Visibility<verbs>, HelpText<help>;

// --name=VALUE, or --name VALUE.
multiclass Value<string name, string operand, list<OptionVisibility> verbs,
                 string help> {
  def NAME : Separate<["--", "-"], name>, MetaVarName<operand>,
             Visibility<verbs>;
  def NAME#_joined : Joined<["--", "-"], name#"=">, MetaVarName<operand>,
                     Visibility<verbs>, Alias<!cast<Option>(NAME)>,
                     HelpText<help>;
}

// -nVALUE as compilers have it, or -n VALUE, --n VALUE, --n=VALUE.
multiclass Glued<string name, string operand, list<OptionVisibility> verbs,
                 string help> {
  def NAME : JoinedOrSeparate<["-"], name>, MetaVarName<operand>,
             Visibility<verbs>, HelpText<help>;
  def NAME#_long : Separate<["--"], name>, MetaVarName<operand>,
                   Visibility<verbs>, Alias<!cast<Option>(NAME)>;
  def NAME#_joined : Joined<["--"], name#"=">, MetaVarName<operand>,
                     Visibility<verbs>, Alias<!cast<Option>(NAME)>;
}

def o : Separate<["-", "--"], "o">, MetaVarName<"PATH">,
        HelpText<"output file, or directory for optimize">,
        Visibility<[OptimizeVerb, LiftVerb, LowerVerb, ReportVerb,
                    ContractVerb]>;
def o_joined : Joined<["-", "--"], "o=">, MetaVarName<"PATH">, Alias<o>,
               Visibility<[OptimizeVerb, LiftVerb, LowerVerb, ReportVerb,
                           ContractVerb]>;
defm kernel : Value<"kernel", "NAME", [ContractVerb],
    "which kernel of the file, as C++ spells it (default: the first one whose "
    "contract comes out whole)">;
defm level : Value<"level", "LEVEL", [LiftVerb],
    "l0, the LLVM dialect (default), l1, loops on memrefs, or l2, linalg on "
    "tensors, where the kernel has such a form">;
def keep_sizes : Switch<"keep-sizes",
    [OptimizeVerb, VerifyVerb, AuditVerb, LiftVerb],
    "tensor-level code of static shape keeps its sizes: no names for dimensions">;
def json : Switch<"json",
    [OptimizeVerb, VerifyVerb, LowerVerb, LiftVerb, AuditVerb, ContractVerb],
    "one JSON object per line instead of text">;
def list_checks : Switch<"list-checks", [VerifyVerb],
    "print what the verifier tries, what each check catches and costs, and do nothing else">;

def force : Switch<"force", [OptimizeVerb],
    "replace the results of another kernel in the output directory">;
def show_pipeline : Switch<"show-pipeline",
    [OptimizeVerb, VerifyVerb, LowerVerb, RewardVerb, AuditVerb],
    "print the pass pipeline and do nothing else">;
defm target : Value<"target", "ARCH", ofKernels,
    "GPU architecture (default: that of an H200)">;
defm seed : Value<"seed", "S",
    [OptimizeVerb, VerifyVerb, LowerVerb, RewardVerb, AuditVerb, ContractVerb],
    "seed of all random choices (default: drawn and reported)">;
defm effort : Value<"effort", "LEVEL",
    [OptimizeVerb, VerifyVerb, LowerVerb, RewardVerb],
    "of a verdict: quick, default or thorough ('optimize': quick for our own "
    "candidates, default for a model's)">;
defm confirm : Value<"confirm", "LEVEL", [OptimizeVerb],
    "the effort with which what ships is judged once more, with another seed: "
    "quick, default, thorough (default) or none">;
defm seconds : Value<"seconds", "T", [VerifyVerb, RewardVerb],
    "time for one verification">;
defm reproducer : Value<"reproducer", "DIR", [VerifyVerb],
    "write what refutes the candidate to this folder: sizes, inputs, results "
    "and a small CUDA program">;
defm require : Value<"require", "GRADE", [VerifyVerb],
    "accept only exact, algebraic or numeric evidence">;
defm variant : Value<"variant", "NAME", [VerifyVerb],
    "the variant of the candidate's file that is judged (default: its best)">;
defm reference_variant : Value<"reference-variant", "NAME", [VerifyVerb],
    "the variant of the reference's file that is taken for the reference "
    "(default: the reference that the file states)">;
def allow_unverified : Switch<"allow-unverified", [LowerVerb],
    "lower without valid evidence">;
defm jobs : Value<"jobs", "N", [OptimizeVerb, RewardVerb],
    "candidates to evaluate at a time (default: one per core)">;
defm device : Value<"device", "N", [WorkerVerb],
    "time kernels on this GPU instead">;
def trajectories : Switch<"trajectories", [JournalVerb],
    "print prompts, answers and rewards instead, for training">;
def help : Switch<"help", ofAll, "what this verb does">;
def h : Flag<["-"], "h">, Visibility<ofAll>, Alias<help>;

def searchOptions : OptionGroup<"search">, HelpText<"search">;
let Group = searchOptions in {
defm budget : Value<"budget", "N", [OptimizeVerb],
    "candidates to evaluate (default 32)">;
defm patience : Value<"patience", "N", [OptimizeVerb],
    "stop after so many candidates without progress">;
defm stop_at : Value<"stop-at", "MICROS", [OptimizeVerb],
    "stop once a candidate's estimate is this fast">;
defm stop_at_floor : Value<"stop-at-floor", "SHARE", [OptimizeVerb],
    "stop once a candidate's estimate is this close to its floor: the time to "
    "move the data once, or the minimum arithmetic seen at peak (0 to 1)">;
defm max_seconds : Value<"max-seconds", "T", [OptimizeVerb],
    "end the search after so many seconds, whatever it waits for; only the "
    "kernel as it is is judged to the end">;
defm proposer : Value<"proposer", "NAME", [OptimizeVerb],
    "search, replay, exchange or llm (default search)">;
defm measure_top : Value<"measure-top", "N", [OptimizeVerb],
    "variants to time once more when the search is over, fastest first, where a "
    "GPU is present (default 8, 0: all)">;
def no_gpu : Switch<"no-gpu", [OptimizeVerb, RewardVerb],
    "go by the static estimate even where a GPU is present">;
defm devices : Value<"devices", "LIST", [OptimizeVerb, RewardVerb],
    "GPUs to time kernels on, by number, such as 0,1 (default: 0, if there is "
    "one)">;
defm max_gpu_seconds : Value<"max-gpu-seconds", "T", [OptimizeVerb],
    "measure no further variant once the GPU was used so long">;
defm journal : Value<"journal", "FILE", [OptimizeVerb],
    "keep each step in this file, and go on where an earlier run was stopped">;
defm progress : Value<"progress", "HOW", [OptimizeVerb],
    "lines: one for each candidate; line: one that says what is waited for, on a "
    "terminal; none (default: line on a terminal, else lines)">;
defm archive : Value<"archive", "FILE", [OptimizeVerb],
    "journal of other searches, for strategies that show what worked there "
    "(default: --journal)">;
}

def guidanceOptions : OptionGroup<"guidance">, HelpText<"guiding a model">;
let Group = guidanceOptions in {
defm strategy : Value<"strategy", "NAME", [OptimizeVerb],
    "how a model is led: a name of strategies/, or a file (default: default)">;
defm prompts : Value<"prompts", "DIR", [OptimizeVerb],
    "templates that replace built-in prompts">;
def structured : Switch<"structured", [OptimizeVerb],
    "have answers follow a JSON schema, where the server takes one">;
def explain : Switch<"explain", [OptimizeVerb],
    "have the model explain the winner and what to doubt about it "
    "(explanation.md)">;
def dry_run : Switch<"dry-run", [OptimizeVerb],
    "print the first request and an estimate of the cost, and ask nobody">;
}

def modelOptions : OptionGroup<"model">, HelpText<"model">;
let Group = modelOptions in {
defm model : Value<"model", "NAME[,NAME]", ofModels,
    "model to ask; of several, one is chosen for each request">;
defm api : Value<"api", "FORM", ofModels,
    "what the server speaks: chat (chat completions, default) or messages "
    "(Anthropic's)">;
defm base_url : Value<"base-url", "URL", ofModels,
    "the server, up to and without /chat/completions or /messages">;
defm api_key_env : Value<"api-key-env", "NAME", ofModels,
    "variable with the model's key (default EVO_API_KEY, then OPENAI_API_KEY "
    "or ANTHROPIC_API_KEY)">;
defm api_key_file : Value<"api-key-file", "PATH", ofModels,
    "file with the model's key, in place of a variable">;
defm header : Value<"header", "NAME=VARIABLE", ofModels,
    "header for the model's server, its value out of that variable of the "
    "environment; may be given several times">;
defm temperature : Value<"temperature", "T", ofModels,
    "sampling temperature of the model">;
defm attempts : Value<"attempts", "N", ofModels,
    "how often a request is sent in all (default 5)">;
defm answer_seconds : Value<"answer-seconds", "T", ofModels,
    "how long one answer may take (default 600); one that has begun must "
    "bring something in each tenth of it">;
defm answer_tokens : Value<"answer-tokens", "N", ofModels,
    "tokens that one answer may have (default: the server's, or 16384 under a "
    "cap)">;
defm max_tokens : Value<"max-tokens", "N", ofModels,
    "cap on the tokens of all requests and answers">;
defm max_money : Value<"max-money", "X", ofModels,
    "cap on the cost of all requests, in the price table's currency">;
defm prices : Value<"prices", "FILE", ofModels,
    "what tokens cost (default: the table of the build)">;
}

def recordsOptions : OptionGroup<"records">, HelpText<"answers in files">;
let Group = recordsOptions in {
defm exchange_dir : Value<"exchange-dir", "DIR", [OptimizeVerb],
    "folder of request and answer files">;
defm exchange_timeout : Value<"exchange-timeout", "T", [OptimizeVerb],
    "seconds to wait for an answer file">;
defm record : Value<"record", "DIR", [OptimizeVerb],
    "keep the model's answers in this folder">;
defm replay_dir : Value<"replay-dir", "DIR", [OptimizeVerb],
    "folder of recorded answers">;
defm replay_match : Value<"replay-match", "HOW", [OptimizeVerb],
    "exact: only answers to this very prompt (default); task: also those to "
    "another wording of it">;
}

def sourcesOptions : OptionGroup<"sources">, HelpText<"CUDA files">;
let Group = sourcesOptions in {
defm cuda_path : Value<"cuda-path", "DIR", ofKernels,
    "CUDA toolkit (default: discovered)">;
defm std : Value<"std", "STANDARD", ofKernels,
    "C++ standard of CUDA files (default c++17)">;
defm I : Glued<"I", "DIR", ofKernels, "include directory of CUDA files">;
defm D : Glued<"D", "NAME[=VALUE]", ofKernels, "macro of CUDA files">;
}
