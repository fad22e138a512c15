/* Has a format with a dot before the extension. */
#define BEFORE_ALL static const ovl_text dotted[] = {TEXT(".epub")};
#define DESCRIPTOR_FIELDS .formats = {dotted, 1}
#include "../Base.h"
