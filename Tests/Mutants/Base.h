/* An overlay that keeps every rule of the contract: the books of an app that shares its Documents folder.
 *
 * Each file of the folders beside this one defines one or two hooks that break a single rule, and includes this file. A hook can
 * use the variables of its place (`book`, `row`, `error` …).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "overlay_abi.h"

#include "Base/hooks.h"
#include "Base/tools.h"

BEFORE_ALL

#include "Base/device.h"
#include "Base/life.h"
#include "Base/books.h"
#include "Base/adding.h"
#include "Base/changing.h"
#include "Base/syncing.h"
#include "Base/tables.h"
