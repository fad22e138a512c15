/* The hooks, which are empty unless a mutant defines them. */

#ifndef BEFORE_ALL
#define BEFORE_ALL
#endif
#ifndef ENTRY_NAME
#define ENTRY_NAME ovl_entry_v1
#endif
#ifndef ENTRY_EXPORT
#define ENTRY_EXPORT OVL_EXPORT
#endif
#ifndef ENTRY_BODY
#define ENTRY_BODY
#endif
#ifndef ENTRY_FIELDS
#define ENTRY_FIELDS
#endif
#ifndef METHODS_FIELDS
#define METHODS_FIELDS
#endif
#ifndef DESCRIPTOR_FIELDS
#define DESCRIPTOR_FIELDS
#endif
#ifndef FILE_SINK_SIZE
#define FILE_SINK_SIZE sizeof(ovl_file_sink)
#endif
#ifndef IN_CREATE
#define IN_CREATE
#endif
#ifndef TRANSPORT_SIZE
#define TRANSPORT_SIZE SIZE_UP_TO(ovl_transport_service, remove)
#endif
#ifndef IN_DESTROY
#define IN_DESTROY
#endif
#ifndef IN_INITIALIZE
#define IN_INITIALIZE
#endif
#ifndef IN_SHUTDOWN
#define IN_SHUTDOWN
#endif
#ifndef IN_USB
#define IN_USB
#endif
#ifndef IN_CAN_HANDLE
#define IN_CAN_HANDLE
#endif
#ifndef ON_PRESENCE
#define ON_PRESENCE
#endif
#ifndef ON_SETTINGS
#define ON_SETTINGS
#endif
#ifndef IN_BOOKS
#define IN_BOOKS
#endif
#ifndef LIST_ERROR
#define LIST_ERROR error
#endif
#ifndef LIST_FAILED
#define LIST_FAILED return status;
#endif
#ifndef ON_BOOK
#define ON_BOOK
#endif
#ifndef AFTER_BOOK
#define AFTER_BOOK
#endif
#ifndef SINK_STOPPED
#define SINK_STOPPED return OVL_STOPPED;
#endif
#ifndef BOOKS_DONE
#define BOOKS_DONE
#endif
#ifndef ON_COLLECTION
#define ON_COLLECTION
#endif
#ifndef IN_GET
#define IN_GET
#endif
#ifndef ON_CHUNK
#define ON_CHUNK
#endif
#ifndef GET_ERROR
#define GET_ERROR error
#endif
#ifndef GET_DONE
#define GET_DONE
#endif
#ifndef IN_UPLOAD
#define IN_UPLOAD
#endif
#ifndef IN_UPLOAD_ITEM
#define IN_UPLOAD_ITEM
#endif
#ifndef UPLOAD_ITEM_DONE
#define UPLOAD_ITEM_DONE
#endif
#ifndef BEFORE_UPLOAD
#define BEFORE_UPLOAD
#endif
#ifndef IS_THERE
#define IS_THERE exists(path, error)
#endif
#ifndef ON_UPLOAD_ROW
#define ON_UPLOAD_ROW
#endif
#ifndef UPLOAD_DONE
#define UPLOAD_DONE
#endif
#ifndef IN_ADD
#define IN_ADD
#endif
#ifndef ON_ADD_EDIT
#define ON_ADD_EDIT
#endif
#ifndef IN_REMOVE
#define IN_REMOVE
#endif
#ifndef ON_REMOVE_EDIT
#define ON_REMOVE_EDIT
#endif
#ifndef REMOVE_DONE
#define REMOVE_DONE
#endif
#ifndef IN_DELETE
#define IN_DELETE
#endif
#ifndef IN_DELETE_ITEM
#define IN_DELETE_ITEM
#endif
#ifndef ON_DELETE_ROW
#define ON_DELETE_ROW
#endif
#ifndef AFTER_DELETE_ROW
#define AFTER_DELETE_ROW
#endif
#ifndef DELETE_DONE
#define DELETE_DONE
#endif
#ifndef IN_SYNC
#define IN_SYNC
#endif
#ifndef ON_SYNC_ROW
#define ON_SYNC_ROW
#endif
#ifndef ON_PREPARE_ROW
#define ON_PREPARE_ROW
#endif
#ifndef IN_EJECT
#define IN_EJECT
#endif
#ifndef IN_CLEANUP
#define IN_CLEANUP
#endif
#ifndef IN_PERFORM
#define IN_PERFORM
#endif
#ifndef ON_ERROR
#define ON_ERROR
#endif
#ifndef AFTER_ERROR
#define AFTER_ERROR
#endif
#ifndef IN_SOURCE
#define IN_SOURCE
#endif
#ifndef ON_SOURCE_ROW
#define ON_SOURCE_ROW
#endif
#ifndef SOURCE_PLANNED
#define SOURCE_PLANNED
#endif
#ifndef SOURCE_RESULT_DONE
#define SOURCE_RESULT_DONE
#endif
#ifndef SOURCE_REMEMBER
#define SOURCE_REMEMBER if (fate.status == OVL_OK) source->state_put(source->ctx, &key_view, &stamp, NULL);
#endif
