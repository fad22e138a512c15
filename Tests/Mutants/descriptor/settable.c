/* Lists a kind of settable metadata that the contract does not have. */
#define DESCRIPTOR_FIELDS .settable_metadata = {settable, 2}
#include "../Base.h"
