/* Methods that change and delete books. */

static ovl_status delete_books(ovl_instance *instance, const ovl_texts *paths, const ovl_result_sink *results,
                               const ovl_error_sink *error) {
    IN_DELETE
    for (uint64_t i = 0; i < paths->count; i++) {
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_DELETED};
        struct fate fate = {OVL_OK, "", 0, 0};
        ovl_error_sink refused = {sizeof refused, 0, &fate, take_error};
        report(instance, i, paths->count);
        IN_DELETE_ITEM
        {
            ovl_status status = instance->transport->remove(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &paths->items[i], 0,
                                                            &refused);
            if (status != OVL_OK) {
                row.outcome = OVL_OUTCOME_FAILED;
                row.status = status;
                row.message = view(fate.message);
            }
        }
        ON_DELETE_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
        AFTER_DELETE_ROW
    }
    DELETE_DONE
    return OVL_OK;
}

static ovl_status remove_books_from_metadata(ovl_instance *instance, const ovl_texts *paths, const ovl_list *snapshot,
                                             const ovl_edit_sink *edits, const ovl_error_sink *error) {
    IN_REMOVE
    for (uint64_t i = 0; i < paths->count; i++) {
        int found = 0;
        for (uint64_t j = 0; j < snapshot->count; j++) {
            const ovl_book *book = (const void *)((const char *)snapshot->items + j * snapshot->stride);
            if (!same(book->path, paths->items[i])) continue;
            found = 1;
            ovl_booklist_edit edit = {.struct_size = sizeof edit, .kind = OVL_EDIT_REMOVE, .index = j};
            ON_REMOVE_EDIT
            if (edits->put(edits->ctx, &edit) != OVL_OK) return OVL_STOPPED;
        }
        REMOVE_DONE
    }
    return OVL_OK;
}

static ovl_status sync_booklists(ovl_instance *instance, const ovl_list *list, const ovl_result_sink *results,
                                 const ovl_error_sink *error) {
    IN_SYNC
    for (uint64_t i = 0; i < list->count; i++) {
        const ovl_book *book = (const void *)((const char *)list->items + i * list->stride);
        ovl_text title = title_of(book->path);
        if (book->title.data == NULL || same(book->title, title)) continue;
        char text[700];
        ovl_text rest = {title.data + title.size, book->path.size - (sizeof FOLDER - 1) - title.size};
        snprintf(text, sizeof text, FOLDER "%.*s%.*s", (int)book->title.size, book->title.data, (int)rest.size, rest.data);
        ovl_text path = view(text);
        ovl_item_result row = {.struct_size = sizeof row, .index = i, .outcome = OVL_OUTCOME_UPDATED, .path = path};
        struct fate fate = {OVL_OK, "", 0, 0};
        ovl_error_sink refused = {sizeof refused, 0, &fate, take_error};
        ovl_status status =
            instance->transport->rename(instance->transport->ctx, OVL_ROOT_DOCUMENTS, &book->path, &path, &refused);
        if (status != OVL_OK) {
            row.outcome = OVL_OUTCOME_FAILED;
            row.status = status;
            row.message = view(fate.message);
        }
        ON_SYNC_ROW
        if (results->put(results->ctx, &row) != OVL_OK) return OVL_STOPPED;
    }
    return OVL_OK;
}
