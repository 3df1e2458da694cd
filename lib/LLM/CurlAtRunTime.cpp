// libcurl, opened when it is first used. Only in the portable executable: there
// the whole tool must start on a machine that has no libcurl, and only talking
// to a model needs one. Stands in for the functions that Http.cpp calls.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <cstdarg>
#include <dlfcn.h>
#include <initializer_list>

#undef curl_easy_setopt
#undef curl_easy_getinfo

static void *lookup(const char *name) {
  static void *const library = [] {
    void *opened = nullptr;
    for (const char *file : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (!opened)
        opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    return opened;
  }();
  return library ? dlsym(library, name) : nullptr;
}

/// The function `name` of the library, or null.
template <typename Function> static Function *find(const char *name) {
  return reinterpret_cast<Function *>(lookup(name));
}

// Without the library curl_global_init fails, and nothing else is called with a
// handle; the fallbacks of the rest are never seen.
extern "C" {
CURLcode curl_global_init(long flags) {
  auto *call = find<CURLcode(long)>("curl_global_init");
  return call ? call(flags) : CURLE_FAILED_INIT;
}
CURL *curl_easy_init() {
  auto *call = find<CURL *()>("curl_easy_init");
  return call ? call() : nullptr;
}
// Every option and every piece of information is passed as a long, a pointer or
// a curl_off_t, all of which are one 64-bit word here.
static_assert(sizeof(long) == 8 && sizeof(void *) == 8 &&
              sizeof(curl_off_t) == 8);
CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
  va_list list;
  va_start(list, option);
  void *word = va_arg(list, void *);
  va_end(list);
  auto *call = find<CURLcode(CURL *, CURLoption, ...)>("curl_easy_setopt");
  return call ? call(handle, option, word) : CURLE_FAILED_INIT;
}
CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...) {
  va_list list;
  va_start(list, info);
  void *word = va_arg(list, void *);
  va_end(list);
  auto *call = find<CURLcode(CURL *, CURLINFO, ...)>("curl_easy_getinfo");
  return call ? call(handle, info, word) : CURLE_FAILED_INIT;
}
CURLcode curl_easy_perform(CURL *handle) {
  auto *call = find<CURLcode(CURL *)>("curl_easy_perform");
  return call ? call(handle) : CURLE_FAILED_INIT;
}
void curl_easy_cleanup(CURL *handle) {
  if (auto *call = find<void(CURL *)>("curl_easy_cleanup"))
    call(handle);
}
const char *curl_easy_strerror(CURLcode code) {
  auto *call = find<const char *(CURLcode)>("curl_easy_strerror");
  // unreachable: without it there is no code to be named
  return call ? call(code) : "libcurl is not installed";
}
curl_slist *curl_slist_append(curl_slist *list, const char *text) {
  auto *call =
      find<curl_slist *(curl_slist *, const char *)>("curl_slist_append");
  return call ? call(list, text) : nullptr;
}
void curl_slist_free_all(curl_slist *list) {
  if (auto *call = find<void(curl_slist *)>("curl_slist_free_all"))
    call(list);
}
}
