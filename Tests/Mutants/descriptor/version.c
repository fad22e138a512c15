/* Two numbers. */
#define DESCRIPTOR_FIELDS .version = TEXT("1.0")
#include "../Base.h"
