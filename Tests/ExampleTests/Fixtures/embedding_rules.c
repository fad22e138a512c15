/* What overlayhost.h promises beside running commands: one program that checks it and prints what it saw. */
#include <overlayhost.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Set by the first output of a command that goes on until it is cancelled. */
struct stream {
    overlayhost_command *command;
    pthread_t canceller;
    int started;
};

static void *cancel(void *ctx) {
    overlayhost_command_cancel(((struct stream *)ctx)->command);
    return NULL;
}

static void on_output(void *ctx, const char *bytes, uint64_t size) {
    struct stream *stream = ctx;
    (void)bytes, (void)size;
    if (!stream->started++) pthread_create(&stream->canceller, NULL, cancel, stream);
}

static int32_t run(const char *word, const char *more) {
    const char *words[] = {word, more};
    overlayhost_command *command = overlayhost_command_make(words, more ? 2 : 1);
    int32_t status = overlayhost_command_run(command, NULL, NULL, NULL);
    overlayhost_command_free(command);
    return status;
}

static void *run_overlays(void *ctx) {
    *(int32_t *)ctx = run("prefs", "list");
    return NULL;
}

int main(void) {
    /* `simulate` goes on until it is cancelled. */
    const char *words[] = {"simulate"};
    struct stream stream = {.command = overlayhost_command_make(words, 1)};
    int32_t status = overlayhost_command_run(stream.command, &stream, on_output, NULL);
    if (stream.started) pthread_join(stream.canceller, NULL);
    printf("cancelled %d\n", status == OVERLAYHOST_DONE || status == OVERLAYHOST_INTERRUPTED ? 130 : (int)status);
    printf("again %d\n", (int)overlayhost_command_run(stream.command, NULL, NULL, NULL));
    overlayhost_command_free(stream.command);
    overlayhost_command_free(NULL);

    pthread_t threads[2];
    int32_t statuses[2] = {-1, -1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_overlays, &statuses[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("two %d %d\n", (int)statuses[0], (int)statuses[1]);
    if (strlen(overlayhost_version()) > 4) printf("fine\n");
    return 0;
}
