/* What the host is given. */

#define SIZE_UP_TO(table, function) (offsetof(table, function) + sizeof(((table *)0)->function))

static const void *service(const ovl_host *host, const char *id, uint32_t size) {
    ovl_text text = view(id);
    return host->get_service(host->ctx, &text, size);
}

static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    ovl_instance *made = calloc(1, sizeof *made);
    if (made == NULL) return fail(error, OVL_HOST_IO, "There is no memory.");
    made->log = service(host, OVL_SERVICE_LOG, SIZE_UP_TO(ovl_log_service, write));
    made->progress = service(host, OVL_SERVICE_PROGRESS, SIZE_UP_TO(ovl_progress_service, report));
    made->cancel = service(host, OVL_SERVICE_CANCEL, SIZE_UP_TO(ovl_cancel_service, is_cancelled));
    made->transport = service(host, OVL_SERVICE_TRANSPORT, TRANSPORT_SIZE);
    made->source = service(host, OVL_SERVICE_SOURCE, SIZE_UP_TO(ovl_source_service, state_put));
    *instance = made;
    IN_CREATE
    return OVL_OK;
}

static void destroy(ovl_instance *instance) {
    IN_DESTROY
    free(instance);
}

static const ovl_text app_ids[] = {TEXT("org.example.base")};
static const ovl_text formats[] = {TEXT("epub")};
static const ovl_text settable[] = {TEXT("title"), TEXT("something else")};
static const ovl_option options[] = {
    {.struct_size = sizeof(ovl_option), .key = TEXT("base_shout"), .type = OVL_OPTION_BOOL, .fallback = TEXT("false"),
     .label = TEXT("Shout"), .help = TEXT("Whether to say it loudly.")}};
static const ovl_descriptor descriptor = {
    .struct_size = sizeof descriptor,
    .flags = OVL_TRAIT_CAN_FETCH,
    .id = TEXT("base"),
    .name = TEXT("Base"),
    .version = TEXT("1.0.0"),
    .summary = TEXT("Keeps every rule."),
    .app_name = TEXT("Base"),
    .app_ids = {app_ids, 1},
    .formats = {formats, 1},
    .settable_metadata = {settable, 1},
    .options = {options, 1, sizeof options[0]},
    .help = TEXT("# Base\n\nAn overlay for the tests of the checker."),
    DESCRIPTOR_FIELDS};

static const ovl_methods methods = {
    .struct_size = sizeof methods,
    .initialize = initialize,
    .shutdown = shut_down,
    .is_usb_connected = is_usb_connected,
    .can_handle = can_handle,
    .books = books,
    .upload_books = upload_books,
    .add_books_to_metadata = add_books_to_metadata,
    .delete_books = delete_books,
    .remove_books_from_metadata = remove_books_from_metadata,
    .sync_booklists = sync_booklists,
    .get_file = get_file,
    .prepare_addable_books = prepare_addable_books,
    .eject = eject,
    .post_yank_cleanup = post_yank_cleanup,
    .settings = settings,
    .perform = perform,
    .sync_source = sync_source,
    .collections = collections,
    METHODS_FIELDS};

static const ovl_entry entry = {
    .struct_size = sizeof entry,
    .abi_major = OVL_ABI_MAJOR,
    .abi_minor = OVL_ABI_MINOR,
    .descriptor = &descriptor,
    .methods = &methods,
    .create = create,
    .destroy = destroy,
    ENTRY_FIELDS};

ENTRY_EXPORT const ovl_entry *ENTRY_NAME(void) {
    ENTRY_BODY
    return &entry;
}
