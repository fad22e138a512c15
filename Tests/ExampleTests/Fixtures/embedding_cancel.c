/* Cancels a command within what it says while an overlay is at work, and prints what it said of that. */
#define _GNU_SOURCE
#include <overlayhost.h>

#include <stdio.h>
#include <string.h>

struct run {
    overlayhost_command *command;
    int begun, waiting;
};

static void on_note(void *ctx, const char *bytes, uint64_t size) {
    struct run *run = ctx;
    run->waiting += memmem(bytes, size, "Waiting for the overlay talking to list books", 45) != NULL;
    if (memmem(bytes, size, "books has begun", 15) == NULL) return;
    run->begun++;
    overlayhost_command_cancel(run->command);
}

int main(int argc, char **argv) {
    struct run run = {.command = overlayhost_command_make((const char *const *)argv + 1, argc - 1)};
    overlayhost_command_run(run.command, &run, NULL, on_note);
    overlayhost_command_free(run.command);
    printf("begun %d waiting %d\n", run.begun, run.waiting);
    return 0;
}
