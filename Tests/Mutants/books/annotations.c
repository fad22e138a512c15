/* Sends annotations although the host did not ask for them. */
#define ON_BOOK static const ovl_annotation note = {.struct_size = sizeof note, .kind = TEXT("note"), .note = TEXT("Yes!")}; \
    book.annotations = (ovl_list){&note, 1, sizeof note};
#include "../Base.h"
