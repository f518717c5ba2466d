/* A plugin for Agio in C, or in any language that can export C symbols.
 *
 * A plugin is a shared library with the four symbols below. It is asked by JSON and answers by JSON: the words are those of
 * `plugins/sdk/src/protocol`, and `plugins/README.md` shows a round of each kind. `agio plugin check FILE` says whether a library is one.
 *
 * What a plugin can rely on:
 *  - it is loaded once into a process of its own, is called by one thread, one call at a time, and is never unloaded;
 *  - the process may be killed at any moment: a plugin has no state, and the same question gets the same answer.
 *
 * What a plugin cannot do in that process: open files, make connections, start threads or processes. What it needs done it asks for in its answer.
 * Whatever it prints on standard output or error is shown to the operator as its log.
 */
#ifndef AGIO_PLUGIN_H
#define AGIO_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The protocol described here. The house also serves the one before. */
#define AGIO_PROTOCOL 2

/* What the bytes of a buffer are. */
#define AGIO_GOOD 0u       /* what was asked for, JSON */
#define AGIO_UNREADABLE 1u /* the question was not understood: why, UTF-8 text */
#define AGIO_PANICKED 2u   /* something broke: what, UTF-8 text */

/* Bytes a plugin gives away; they are given back to agio_free, once. */
typedef struct AgioBuffer {
    uint8_t *ptr;
    size_t len;
    size_t capacity; /* the plugin's own business */
    uint32_t status;
} AgioBuffer;

/* The number of the protocol the library speaks. Called before anything else. */
uint32_t agio_abi_version(void);

/* The manifest. */
AgioBuffer agio_describe(void);

/* One round: `len` bytes of a question are at `question` until this returns. */
AgioBuffer agio_handle(const uint8_t *question, size_t len);

/* Takes back what agio_describe or agio_handle gave. */
void agio_free(AgioBuffer buffer);

#ifdef __cplusplus
}
#endif

#endif
