/* All signatures, in the order of the headers. */
#include "signature_tables.h"

static const ovl_sig_record *const signatures[] = {
    &ovl_sig_ovl_error,
    &ovl_sig_ovl_error_sink,
    &ovl_sig_ovl_text_sink,
    &ovl_sig_ovl_bytes_sink,
    &ovl_sig_ovl_book,
    &ovl_sig_ovl_book_sink,
    &ovl_sig_ovl_books_options,
    &ovl_sig_ovl_upload_item,
    &ovl_sig_ovl_upload_options,
    &ovl_sig_ovl_item_result,
    &ovl_sig_ovl_result_sink,
    &ovl_sig_ovl_booklist_edit,
    &ovl_sig_ovl_edit_sink,
    &ovl_sig_ovl_fingerprint,
    &ovl_sig_ovl_presence,
    &ovl_sig_ovl_presence_sink,
    &ovl_sig_ovl_pair,
    &ovl_sig_ovl_log_service,
    &ovl_sig_ovl_prefs_service,
    &ovl_sig_ovl_progress_service,
    &ovl_sig_ovl_cancel_service,
    &ovl_sig_ovl_device,
    &ovl_sig_ovl_device_sink,
    &ovl_sig_ovl_root,
    &ovl_sig_ovl_root_sink,
    &ovl_sig_ovl_file_info,
    &ovl_sig_ovl_file_sink,
    &ovl_sig_ovl_read_request,
    &ovl_sig_ovl_read_sink,
    &ovl_sig_ovl_push_item,
    &ovl_sig_ovl_transport_service,
    &ovl_sig_ovl_host,
    &ovl_sig_ovl_option,
    &ovl_sig_ovl_descriptor,
    &ovl_sig_ovl_methods,
    &ovl_sig_ovl_entry,
};

const ovl_sig_record *const *ovl_signatures_v1(uint32_t *count) {
    *count = COUNT(signatures);
    return signatures;
}
