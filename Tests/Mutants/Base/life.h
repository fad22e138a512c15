/* Methods about the instance, its device, and its app. */

static ovl_status initialize(ovl_instance *instance, const ovl_error_sink *error) {
    say(instance, "initialized");
    IN_INITIALIZE
    return OVL_OK;
}

static ovl_status shut_down(ovl_instance *instance, const ovl_error_sink *error) {
    IN_SHUTDOWN
    return OVL_OK;
}

static ovl_status is_usb_connected(ovl_instance *instance, const ovl_list *devices, int32_t presence_only, int64_t *index,
                                   const ovl_error_sink *error) {
    *index = (int64_t)devices->count - 1;
    IN_USB
    return OVL_OK;
}

static ovl_status can_handle(ovl_instance *instance, const ovl_fingerprint *device, const ovl_presence_sink *answer,
                             const ovl_error_sink *error) {
    instance->ejected = 0;
    ovl_presence presence = {.struct_size = sizeof presence, .answer = OVL_PRESENCE_YES};
    IN_CAN_HANDLE
    answer->put(answer->ctx, &presence);
    ON_PRESENCE
    return OVL_OK;
}

static ovl_status settings(ovl_instance *instance, const ovl_settings_sink *sink, const ovl_error_sink *error) {
    ovl_missing missing[2] = {
        {.struct_size = sizeof missing[0], .ability = TEXT("collections"), .reason = TEXT("The app chooses its collections itself.")},
        {.struct_size = sizeof missing[0], .ability = TEXT("covers"), .reason = TEXT("The app shows no covers.")}};
    ovl_settings record = {.struct_size = sizeof record, .missing = {missing, 2, sizeof missing[0]}};
    ON_SETTINGS
    return sink->put(sink->ctx, &record) == OVL_OK ? OVL_OK : OVL_STOPPED;
}

static ovl_status eject(ovl_instance *instance, const ovl_error_sink *error) {
    instance->ejected = 1;
    IN_EJECT
    return OVL_OK;
}

static ovl_status post_yank_cleanup(ovl_instance *instance, const ovl_error_sink *error) {
    IN_CLEANUP
    return OVL_OK;
}

static ovl_status perform(ovl_instance *instance, const ovl_text *command, const ovl_list *parameters, const ovl_texts *paths,
                          const ovl_bytes_sink *answer, const ovl_error_sink *error) {
    IN_PERFORM
    return fail(error, OVL_NOT_SUPPORTED, "There is no such command.");
}
