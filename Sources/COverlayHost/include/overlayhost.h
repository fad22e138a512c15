/* OverlayHost for programs in C: runs the commands of `overlayhost` within the program, and hands over their JSON documents.
 *
 * What commands there are, and what their documents hold, is the same as on the command line: overlayhost(1). The documents
 * only ever gain members. Link with `pkg-config --cflags --libs overlayhost-c`.
 *
 * Nothing is written to standard output or standard error, nothing is read from standard input, and no signal arrives on the
 * threads of the library. What the program would ask at a terminal is refused: pass `--yes`. Overlays run in processes of
 * their own, for which the library starts the program `overlayhost` it was installed with.
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

/** Statuses of `overlayhost_command_run`, as the program ends with them. An open set. */
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

/** A command of `count` words, without the program's name: {"books", "--app", "Marvin"}. They are copied. Null if there is
 *  not enough memory. To be given back with `overlayhost_command_free`. Any thread. */
overlayhost_command *OVERLAYHOST_NULLABLE overlayhost_command_make(
    const char *OVERLAYHOST_NONNULL const *OVERLAYHOST_NULLABLE words, uint32_t count);

/** Runs the command to its end, which may take long, and gives its exit status. `result` receives what the program would print
 *  with `--json`: one document, or one object per line for commands that go on, piece by piece. `note` receives what it would
 *  say on standard error; null: do not call. Both are called on any thread, one call at a time and none after the command's
 *  end; within them `overlayhost_command_cancel` may be called, and none of the other functions of a command. Any thread; of
 *  several commands one runs at a time. A command that has run cannot run again: OVERLAYHOST_USAGE. OVERLAYHOST_CONFIGURATION,
 *  among others: the program `overlayhost` is missing. */
int32_t overlayhost_command_run(overlayhost_command *OVERLAYHOST_NONNULL command, void *OVERLAYHOST_NULLABLE ctx,
                                overlayhost_output OVERLAYHOST_NULLABLE result,
                                overlayhost_output OVERLAYHOST_NULLABLE note);

/** Ends the command as Ctrl-C would: soon, and with the device consistent. Returns at once, without calling back. Any thread,
 *  before, while and after it runs, also within `result` and `note`; not from a signal handler. */
void overlayhost_command_cancel(overlayhost_command *OVERLAYHOST_NONNULL command);

/** Gives a command back that does not run. Null is allowed. */
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
