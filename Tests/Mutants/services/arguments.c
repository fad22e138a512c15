/* Passes a null pointer instead of the bytes of a file. */
#define IN_INITIALIZE (void)0;
#define IN_DELETE { ovl_text path = TEXT("/Documents/note.txt"); \
    instance->transport->write(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &path, NULL, 0, NULL); }
#include "../Base.h"
