/* Libraries for tests, one for each macro: a good one of an older protocol, and those that are wrong before anything is calls. */
#include "agio_plugin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((unused)) static AgioBuffer text(const char *text) {
    AgioBuffer buffer = {NULL, strlen(text), strlen(text), AGIO_OK};
    buffer.ptr = malloc(buffer.len);
    memcpy(buffer.ptr, text, buffer.len);
    return buffer;
}

#define MANIFEST                                                                                                               \
    "{\"name\":\"elder\",\"version\":\"1\",\"kind\":\"notifier\",\"title\":{\"ru\":\"\",\"en\":\"\"},\"about\":{\"ru\":\"\",\"en\":\"\"}," \
    "\"hosts\":[\"https://elder.example\"],\"limits\":{\"round_ms\":30000,\"request_ms\":1000,\"reply_bytes\":1000,\"rounds\":4}}"

#ifdef NO_SYMBOLS
int nothing_of_interest(void) { return 0; }
#else

uint32_t agio_abi_version(void) {
#ifdef FUTURE
    return 99;
#elif defined(PRESENT)
    return AGIO_PROTOCOL;
#else
    return 1;
#endif
}

AgioBuffer agio_describe(void) {
#ifdef NONSENSE
    return text("{\"name\":\"../../etc\",\"version\":7}");
#elif defined(NO_JSON)
    return text("I am a plugin");
#elif defined(NOWHERE)
    AgioBuffer buffer = {NULL, 100, 100, AGIO_OK};
    return buffer;
#else
    return text(MANIFEST);
#endif
}

/* Finds out by itself whether the request is of its protocol: what came later must not be in it. */
AgioBuffer agio_handle(const uint8_t *request, size_t len) {
    char *copy = malloc(len + 1);
    memcpy(copy, request, len);
    copy[len] = 0;
    int knows_later_words = strstr(copy, "\"kept\"") != NULL;
    int was_asked_to_keep = strstr(copy, "\"keep\"") != NULL;
    free(copy);
    if (knows_later_words) return text("{\"refused\":{\"code\":\"unreadable\",\"why\":\"kept\",\"later\":false}}");
    if (was_asked_to_keep) return text("{\"needs\":{\"actions\":[{\"do\":\"keep\",\"name\":\"a\",\"value\":\"b\"}]}}");
    return text("{\"done\":{\"is\":\"told\"}}");
}

void agio_free(AgioBuffer buffer) { free(buffer.ptr); }

#endif

#ifdef HANGS
__attribute__((constructor)) static void hang(void) {
    for (;;) sleep(1);
}
#elif defined(CRASHES)
__attribute__((constructor)) static void crash(void) { abort(); }
#elif defined(FORKS)
__attribute__((constructor)) static void multiply(void) { fork(); }
#endif
