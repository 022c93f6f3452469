/* A bot in C: plays any legal move of any game with equal chance. See docs/protocol.md.
 *
 *     cc -O2 -o bot bot.c
 *
 * It needs no JSON library, since arena writes messages without blanks between their parts: the
 * few things that it wants can be found as text. */

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t word;

static uint64_t chance(void) { /* splitmix64 */
    uint64_t mixed = word += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

/* What comes after a text in a line; the line is refused if it is not there. */
static const char *after(const char *line, const char *text) {
    const char *found = strstr(line, text);
    if (found == NULL) {
        fprintf(stderr, "found no %s in %s", text, line);
        exit(1);
    }
    return found + strlen(text);
}

static void answer(const char *line) {
    const char *legal = after(line, "\"legal\":[");
    long id, chosen = -1;
    uint64_t count = 0;
    for (const char *at = legal; (at = strstr(at, "{\"id\":")) != NULL; at++) {
        id = strtol(at + strlen("{\"id\":"), NULL, 10);
        if (chance() % ++count == 0) /* the n-th move takes the place with a chance of 1/n */
            chosen = id;
    }
    printf("{\"id\":%ld}\n", chosen);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = after(line, "{\"type\":");
        if (strncmp(type, "\"start\"", 7) == 0) {
            word = strtoull(after(line, "\"seed\":"), NULL, 10);
            puts("{\"type\":\"ready\"}");
        } else if (strncmp(type, "\"turn\"", 6) == 0) {
            answer(line);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
