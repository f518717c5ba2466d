/* A plugin for Agio in C, or in any language that can export C symbols.
 *
 * A plugin is a shared library with the four symbols below. Requests and responses are JSON, as in `plugins/sdk/src/protocol`;
 * `plugins/README.md` has examples. `agio plugin check FILE` validates a library.
 *
 * Guarantees:
 *  - the library is loaded once into its own process, called by one thread, one call at a time, and never unloaded;
 *  - the process may be killed at any time: a plugin has no state, and the same request must get the same response.
 *
 * The process cannot open files or connections, or start threads or processes. A plugin requests actions in its response instead.
 * Its standard output and standard error go to its log.
 */
#ifndef AGIO_PLUGIN_H
#define AGIO_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Protocol version. Version 1 is supported too. */
#define AGIO_PROTOCOL 2

/* Status of a buffer. */
#define AGIO_OK 0u         /* the result, JSON */
#define AGIO_UNREADABLE 1u /* the request cannot be parsed: error message, UTF-8 */
#define AGIO_PANICKED 2u   /* the plugin panicked: message, UTF-8 */

/* Bytes returned by a plugin. The caller passes them to agio_free once. */
typedef struct AgioBuffer {
    uint8_t *ptr;
    size_t len;
    size_t capacity; /* used by the plugin only */
    uint32_t status;
} AgioBuffer;

/* Protocol version of the library. Called first. */
uint32_t agio_abi_version(void);

/* Returns the manifest. */
AgioBuffer agio_describe(void);

/* Handles one round. `request` points to `len` bytes during the call. */
AgioBuffer agio_handle(const uint8_t *request, size_t len);

/* Frees a buffer from agio_describe or agio_handle. */
void agio_free(AgioBuffer buffer);

#ifdef __cplusplus
}
#endif

#endif
