/* Has an id with capitals and a space. */
#define DESCRIPTOR_FIELDS .id = TEXT("My Base")
#include "../Base.h"
