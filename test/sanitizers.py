# What a sanitizer build's programs are told, in both test suites. Reports go to a
# folder, see utils/with-sanitizer-reports.sh.
#
# allow_user_poisoning=0: LLVM's own libraries are not instrumented, and its
# allocators poison memory only in what is.
import os


def sanitizer_environment(config):
    if not config.sanitize:
        return {}
    report = os.path.join(config.evo_build_dir, "sanitizer-reports", "report")
    leaks = os.path.join(config.evo_source_dir, "utils", "lsan-suppressions.txt")
    return {
        "ASAN_OPTIONS": f"log_path={report}:allow_user_poisoning=0",
        "UBSAN_OPTIONS": f"log_path={report}:halt_on_error=1:print_stacktrace=1",
        "LSAN_OPTIONS": f"suppressions={leaks}:print_suppressions=0",
    }
