/* Has a later major version of the contract. */
#define ENTRY_NAME ovl_entry_v2
#define ENTRY_FIELDS .abi_major = 2
#include "../Base.h"
