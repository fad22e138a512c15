/* Methods that add books. */

static int exists_of(ovl_instance *instance, ovl_text path, struct fate *fate) {
    *fate = look(instance, path);
    return fate->status == OVL_OK;
}
#define exists(path, error) exists_of(instance, path, &fate)

BEFORE_UPLOAD

static ovl_status upload_books(ovl_instance *instance, const ovl_list *items, const ovl_upload_options *options,
                               const ovl_result_sink *results, const ovl_error_sink *error) {
    IN_UPLOAD
    for (uint64_t i = 0; i < items->count; i++) {
        const ovl_upload_item *item = (const void *)((const char *)items->items + i * items->stride);
        char text[600];
        snprintf(text, sizeof text, FOLDER "%.*s", (int)item->name.size, item->name.data);
        ovl_text path = view(text);
        ovl_item_result row = {.struct_size = sizeof row, .index = i};
        report(instance, i, items->count);
        struct fate fate = {OVL_OK, "", 0, 0};
        if (is_cancelled(instance)) {
            fate = (struct fate){OVL_CANCELLED, "It was cancelled.", 0, 0};
        } else if (IS_THERE) {
            row.outcome = OVL_OUTCOME_SKIPPED;
            row.path = path;
            row.message = view("It is there already.");
        } else if (fate.status == OVL_NOT_FOUND) {
            IN_UPLOAD_ITEM
            ovl_push_item push = {.struct_size = sizeof push, .file = item->file, .path = path};
            ovl_list pushes = {&push, 1, sizeof push};
            ovl_result_sink rows = {sizeof rows, 0, &fate, take_row};
            struct fate refusal = {OVL_OK, "", 0, 0};
            ovl_error_sink refused = {sizeof refused, 0, &refusal, take_error};
            ovl_status status =
                instance->transport->push(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &pushes, 0, &rows, &refused);
            if (status != OVL_OK) fate = refusal;
            row.outcome = OVL_OUTCOME_ADDED;
            row.path = path;
            UPLOAD_ITEM_DONE
        }
        if (row.outcome != OVL_OUTCOME_SKIPPED && fate.status != OVL_OK) {
            row.outcome = OVL_OUTCOME_FAILED;
            row.status = fate.status;
            row.message = view(fate.message[0] != 0 ? fate.message : "The device refused it.");
            row.path = (ovl_text){0};
        }
        ON_UPLOAD_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    UPLOAD_DONE
    return OVL_OK;
}

static ovl_status add_books_to_metadata(ovl_instance *instance, const ovl_list *added, const ovl_list *snapshot,
                                        const ovl_edit_sink *edits, const ovl_error_sink *error) {
    IN_ADD
    for (uint64_t i = 0; i < added->count; i++) {
        ovl_booklist_edit edit = {.struct_size = sizeof edit, .kind = OVL_EDIT_INSERT};
        memcpy(&edit.book, (const char *)added->items + i * added->stride, sizeof edit.book);
        ON_ADD_EDIT
        if (edits->put(edits->ctx, &edit) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}
