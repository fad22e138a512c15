/* A program in C that embeds the host: runs one command of overlayhost, such as
 *
 *     ./books books --simulated
 *
 * and prints the titles in its JSON document. For more, use a JSON parser. */
#include <overlayhost.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Receives the document in pieces. */
struct document {
    char *text;
    uint64_t size;
};

static void append(void *ctx, const char *bytes, uint64_t size) {
    struct document *document = ctx;
    char *text = realloc(document->text, document->size + size + 1);
    if (!text) abort();
    memcpy(text + document->size, bytes, size);
    document->text = text;
    document->size += size;
    text[document->size] = 0;
}

static void say(void *ctx, const char *bytes, uint64_t size) {
    (void)ctx;
    fwrite(bytes, 1, size, stderr);
}

int main(int argc, char **argv) {
    struct document document = {NULL, 0};
    overlayhost_command *command =
        overlayhost_command_make((const char *const *)(argv + 1), (uint32_t)(argc - 1));
    if (!command) return 1;
    int32_t status = overlayhost_command_run(command, &document, append, say);
    overlayhost_command_free(command);

    if (status != OVERLAYHOST_DONE) fprintf(stderr, "status %d: %s\n", (int)status, document.text ? document.text : "");
    for (const char *at = document.text; at && (at = strstr(at, "\"title\": \""));) {
        at += strlen("\"title\": \"");
        printf("%.*s\n", (int)strcspn(at, "\""), at);
    }
    free(document.text);
    return status;
}
