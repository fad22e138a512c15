/* Has a version of two numbers instead of three. */
#define DESCRIPTOR_FIELDS .version = TEXT("1.0")
#include "../Base.h"
