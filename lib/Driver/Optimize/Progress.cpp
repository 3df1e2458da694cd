// The line is drawn by a thread of its own, so that its seconds go on while the
// search waits. Whoever else prints takes it away first, and it keeps still for
// a moment.
#include "Driver/Optimize/Progress.h"
#include "Driver/Optimize/Wording.h"
#include "evo/LLM/Ledger.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace evo;
using llvm::formatv;
using Clock = std::chrono::steady_clock;

/// By itself, since the stream for messages is for one thread at a time.
static void write(StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return; // nobody looks any more
    text = text.drop_front(written);
  }
}

static double secondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Whether standard error takes commands to a cursor.
static bool isObedientTerminal() {
  const char *kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && (!kind || StringRef(kind) != "dumb");
}

struct Progress::StatusLine {
  explicit StatusLine(const VerbOptions &options) : options(options) {
    // Signals are for the thread that waits.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    drawer = std::thread([this] { drawUntilEnd(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~StatusLine() { end(); }

  void end();
  void wait(SearchWait next);
  /// `line` (may be empty) stays.
  void tried(const SearchEvent &event, StringRef line);
  /// Somebody else prints now.
  void giveWay();

private:
  const VerbOptions &options;
  std::mutex mutex;
  std::condition_variable changed; ///< isOver
  bool isOver = false, isDrawn = false;
  SearchWait current;
  Clock::time_point since = Clock::now(), stillUntil = since;
  /// When the search began, as its first wait says, and what it has done since.
  std::optional<Clock::time_point> start;
  unsigned done = 0;
  std::optional<SearchEvent> last;
  std::thread drawer;

  void draw();
  void drawUntilEnd();
  void erase();
  std::string text(unsigned columns) const;
  std::string describeState(bool isBrief) const;
  std::string describeWait(bool isBrief) const;
  std::string describeRest() const;
};

void Progress::StatusLine::erase() {
  if (isDrawn)
    write("\r\033[K");
  isDrawn = false;
}

void Progress::StatusLine::end() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isOver)
      return;
    isOver = true;
    erase();
  }
  changed.notify_all();
  drawer.join();
}

void Progress::StatusLine::giveWay() {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
  stillUntil = Clock::now() + std::chrono::milliseconds(200);
}

void Progress::StatusLine::wait(SearchWait next) {
  std::lock_guard<std::mutex> lock(mutex);
  current = std::move(next);
  since = Clock::now();
  if (!start)
    start = since;
  draw();
}

void Progress::StatusLine::tried(const SearchEvent &event, StringRef line) {
  std::lock_guard<std::mutex> lock(mutex);
  ++done;
  last = event;
  if (!line.empty()) {
    erase();
    write(line);
  }
  draw();
}

/// Call with the mutex held.
void Progress::StatusLine::draw() {
  if (isOver || current.what.empty() || Clock::now() < stillUntil)
    return;
  unsigned columns = columnsOf(STDERR_FILENO);
  write("\r\033[K" + text(columns ? columns - 1 : 79));
  isDrawn = true;
}

void Progress::StatusLine::drawUntilEnd() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver) {
    changed.wait_for(lock, std::chrono::milliseconds(250));
    draw();
  }
}

/// "waiting for model 'm', attempt 2 of 5 in 3 s (status 429)"
std::string Progress::StatusLine::describeWait(bool isBrief) const {
  std::string text = (isBrief ? "" : "waiting for ") + current.what;
  Clock::time_point now = Clock::now();
  if (current.attempt > 1)
    text += formatv(", attempt {0} of {1}", current.attempt, current.attempts);
  if (current.retry)
    text += " in " +
            showDuration(std::max(0.0, secondsBetween(now, *current.retry)));
  else if (double waited = secondsBetween(since, now); waited >= 1)
    text += ", " + showDuration(waited);
  constexpr unsigned reasonable = 40;
  if (current.failure && !isBrief)
    text += " (" + fit(*current.failure, reasonable) + ")";
  return text;
}

/// "3 min left"; empty where nobody knows.
std::string Progress::StatusLine::describeRest() const {
  if (!start || !last || done == 0 || last->spent >= last->budget)
    return "";
  double passed = secondsBetween(*start, Clock::now());
  double left = passed / done * (last->budget - last->spent);
  if (options.maxSeconds > 0)
    left = std::min(left, std::max(0.0, options.maxSeconds - passed));
  return showDuration(std::max(1.0, left)) + " left";
}

/// How far the search is, what it waits for, and what that takes.
std::string Progress::StatusLine::describeState(bool isBrief) const {
  std::string text =
      last ? formatv("[{0}/{1}] ", last->spent, last->budget).str()
           : "[0/" + std::to_string(options.budget) + "] ";
  text += describeWait(isBrief);
  if (last && last->bestMicros > 0)
    text += "; best " + showTenths(last->bestMicros) + " us";
  llm::LedgerTotals totals = options.ledger->totals();
  if (totals.money > 0)
    text += "; " + showMoney(totals.money) + " " +
            options.ledger->priceTable().currency();
  else if (totals.tokens() > 0)
    text += "; " + std::to_string(totals.tokens()) + " tokens";
  if (std::string rest = describeRest(); !rest.empty())
    text += (isBrief ? "; " : "; about ") + rest;
  return text;
}

/// The grade, or where it failed, and why.
static std::string describeResult(const SearchEvent &event) {
  if (event.failure)
    return (stringifyStage(event.stage) + ": " + *event.failure).str();
  if (!event.grade)
    return "";
  return (stringifyGrade(*event.grade) + (event.message.empty() ? "" : ": ") +
          event.message)
      .str();
}

/// Where that has no room it does with fewer words; what came last is cut.
std::string Progress::StatusLine::text(unsigned columns) const {
  std::string text = describeState(/*isBrief=*/false);
  if (text.size() > columns)
    text = describeState(/*isBrief=*/true);
  if (last)
    text += "; " + last->candidate + ": " +
            StringRef(describeResult(*last)).split('\n').first.str();
  return fit(text, columns);
}

static std::string describe(const SearchEvent &event) {
  std::string best = event.bestMicros > 0
                         ? ", best " + showTenths(event.bestMicros) + " us"
                         : "";
  return formatv("[{0}/{1}] {2}: {3} ({4:f2} s{5})", event.spent, event.budget,
                 event.candidate,
                 StringRef(describeResult(event)).split('\n').first,
                 event.seconds, best)
      .str();
}

static void printObject(const SearchEvent &event) {
  llvm::json::Object object{{"event", "candidate"},
                            {"name", event.candidate},
                            {"stage", stringifyStage(event.stage)},
                            {"result", describeResult(event)},
                            {"seconds", event.seconds},
                            {"spent", int64_t(event.spent)},
                            {"budget", int64_t(event.budget)}};
  llvm::json::Object stages;
  for (const auto &[stage, seconds] : event.timings)
    stages[stage] = seconds;
  object["stages"] = std::move(stages);
  if (event.bestMicros > 0)
    object["best_micros"] = event.bestMicros;
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
  llvm::outs().flush();
}

Progress::Progress(MLIRContext &context, const VerbOptions &options)
    : options(options) {
  bool onTerminal = isObedientTerminal() && !options.json;
  if (onTerminal && options.progress != "none" && !options.dryRun)
    status = std::make_unique<StatusLine>(options);
  showsLines =
      options.progress.empty() ? !onTerminal : options.progress == "lines";
  if (status)
    listener = std::make_unique<ScopedDiagnosticHandler>(
        &context, [line = status.get()](Diagnostic &) {
          line->giveWay();
          return failure();
        });
}

Progress::~Progress() = default;

void Progress::end() {
  if (status)
    status->end();
}

void Progress::waitFor(StringRef what) {
  if (!status)
    return;
  SearchWait wait;
  wait.what = what.str();
  status->wait(std::move(wait));
}

void Progress::watch(SearchSession &session) {
  if (options.json) {
    session.onEvent = printObject;
    return;
  }
  StatusLine *line = status.get();
  if (line)
    session.onWait = [line](const SearchWait &wait) { line->wait(wait); };
  session.onEvent = [line, lines = showsLines](const SearchEvent &event) {
    std::string text;
    if (lines) {
      unsigned columns = columnsOf(STDERR_FILENO);
      text = describe(event);
      text = (columns ? fit(text, columns) : text) + "\n";
    }
    if (line)
      line->tried(event, text);
    else
      llvm::errs() << text;
  };
}
