/* OverlayHost for programs in C: runs the commands of `overlayhost` within the program, and returns their JSON documents.
 *
 * The commands and their documents are the same as on the command line: overlayhost(1). Later versions may add members to the
 * documents. Link with `pkg-config --cflags --libs overlayhost-c`.
 *
 * The library does not write to standard output or standard error, and does not read standard input. Its threads do not
 * receive signals. A command that would ask a question at a terminal fails instead: pass `--yes`. Overlays run in separate
 * processes, for which the library starts the program `overlayhost` with which it was installed.
 */
#ifndef OVERLAYHOST_OVERLAYHOST_H
#define OVERLAYHOST_OVERLAYHOST_H

#include <stdint.h>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#if defined(__clang__)
#define OVERLAYHOST_NULLABLE _Nullable
#define OVERLAYHOST_NONNULL _Nonnull
#else
#define OVERLAYHOST_NULLABLE
#define OVERLAYHOST_NONNULL
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/** A command: the words of one command line. */
typedef struct overlayhost_command overlayhost_command;

/** Receives text, which is valid until it returns. On any thread, one call at a time. Must not run commands. */
typedef void (*overlayhost_output)(void *OVERLAYHOST_NULLABLE ctx, const char *OVERLAYHOST_NONNULL bytes, uint64_t size);

/** Statuses of `overlayhost_command_run`, which are the exit statuses of the program. An open set. */
#define OVERLAYHOST_DONE 0
#define OVERLAYHOST_SOME_FAILED 1
#define OVERLAYHOST_USAGE 64
#define OVERLAYHOST_NO_INPUT 66
#define OVERLAYHOST_UNAVAILABLE 69
#define OVERLAYHOST_OVERLAY_BROKE 70
#define OVERLAYHOST_CANNOT_CREATE 73
#define OVERLAYHOST_IO 74
#define OVERLAYHOST_TRY_AGAIN 75
#define OVERLAYHOST_REFUSED 77
#define OVERLAYHOST_CONFIGURATION 78
#define OVERLAYHOST_INTERRUPTED 130

/** Creates a command of `count` words, without the program's name: {"books", "--app", "Marvin"}. The words are copied. Null if
 *  there is not enough memory. Release it with `overlayhost_command_free`. Any thread. */
overlayhost_command *OVERLAYHOST_NULLABLE overlayhost_command_make(
    const char *OVERLAYHOST_NONNULL const *OVERLAYHOST_NULLABLE words, uint32_t count);

/** Runs the complete command, which may take long, and returns its exit status. `result` receives, in pieces, what the program
 *  would print with `--json`: one document, or one object per line for commands that continue. `note` receives what it would
 *  print to standard error; null to ignore this. Both are called on any thread, one call at a time, and not after the command's
 *  end. They may call `overlayhost_command_cancel`, but no other function of a command. Any thread; of several commands, one
 *  runs at a time. A command cannot run again: OVERLAYHOST_USAGE. OVERLAYHOST_CONFIGURATION, among others: the program
 *  `overlayhost` is missing. */
int32_t overlayhost_command_run(overlayhost_command *OVERLAYHOST_NONNULL command, void *OVERLAYHOST_NULLABLE ctx,
                                overlayhost_output OVERLAYHOST_NULLABLE result,
                                overlayhost_output OVERLAYHOST_NULLABLE note);

/** Ends the command like Ctrl-C: soon, and with the device in a consistent state. Returns at once, without a callback. Any
 *  thread, before, while and after the command runs, also within `result` and `note`, but not from a signal handler. */
void overlayhost_command_cancel(overlayhost_command *OVERLAYHOST_NONNULL command);

/** Releases a command that is not running. Null is allowed. */
void overlayhost_command_free(overlayhost_command *OVERLAYHOST_NULLABLE command);

/** The version of the host, such as `0.5.0`. Constant. */
const char *OVERLAYHOST_NONNULL overlayhost_version(void);

#if defined(__cplusplus)
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
