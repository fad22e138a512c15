import OverlayHost

extension RuleCatalog {
    /// What an overlay does when something goes wrong, and when it works for long.
    static let faults: [ConformanceRule] = [
        vanishStatus, vanishRows, vanishCrash, cutStatus, fullStatus, fullCrash, fullLeftovers, cancelStatus,
        cancelHeard,
        cancelCrash, cancelLeftovers, leakDescriptors, leakMemory, leakInstance,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String, _ methods: [OverlayMethod],
        shownBy scenario: Scenario, advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: [scenario], needs: .trial(methods)
        )
    }

    private static let working: [OverlayMethod] = [
        .books, .getFile, .uploadBooks, .deleteBooks, .syncBooklists,
    ]
    private static let vanishTrial =
        "books, get_file, upload_books, delete_books and sync_booklists run while the device vanishes at one of the requests "
        + "they cause, a different one each time."
    private static let fullTrial =
        "A book is added while the device has no room at one of the writing requests, a different one each time."
    private static let cancelTrial =
        "books, get_file and upload_books are cancelled at one of their progress reports or requests, a different one each time."

    static let vanishStatus = rule(
        "faults/vanish-status",
        "A method whose device is gone says OVL_DEVICE_GONE, unless it had all it needed.",
        in: "overlay_types.h, OVL_DEVICE_GONE", trial: vanishTrial, working, shownBy: .vanishing,
        advice: "Pass the status of a service on; never take what did not come for what is not there.")

    static let vanishRows = rule(
        "faults/vanish-rows", "A row that the device took with it has the status OVL_DEVICE_GONE.",
        in: "abi.md, Errors: lower layers are wrapped, never renamed", trial: vanishTrial,
        [.uploadBooks, .deleteBooks, .syncBooklists], shownBy: .vanishing,
        advice: "Put the status of the service into the row.")

    static let vanishCrash = ConformanceRule(
        "faults/vanish-crash", "A device that vanishes ends the method and not the overlay.",
        in: "overlay_services.h, ovl_transport_service", trial: vanishTrial,
        advice: "Check the status of every call of a service.", shownBy: [.vanishing, .severing],
        needs: .trial(working))

    static let cutStatus = rule(
        "faults/cut-status", "What has come of an answer when the cable is pulled is not the answer.",
        in: "overlay_types.h, OVL_DEVICE_GONE",
        trial:
            "The same methods run while the cable is pulled before the device's file service has answered one of its requests, "
            + "a different one each time.", working, shownBy: .severing,
        advice: "Look at the status that a service returns after its sink has been put something.")

    static let fullStatus = rule(
        "faults/full-status", "A device that is full is reported as OVL_NO_SPACE.",
        in: "abi.md, Errors: lower layers are wrapped, never renamed", trial: fullTrial, [.uploadBooks],
        shownBy: .filling, advice: "Put the status of write and push into the row.")

    static let fullCrash = rule(
        "faults/full-crash", "A device that is full ends the upload and not the overlay.",
        in: "overlay_services.h, ovl_transport_service", trial: fullTrial, [.uploadBooks], shownBy: .filling,
        advice: "Check the status of every call of a service.")

    static let fullLeftovers = rule(
        "faults/full-leftovers", "A book that could not be added leaves nothing on the device.",
        in: "overlay_methods.h, upload_books",
        trial: fullTrial + " The files of the device are compared with those from before.", [.uploadBooks],
        shownBy: .filling, advice: "Remove what you have written before you report the failure.")

    static let cancelStatus = rule(
        "faults/cancel-status", "A method that was cancelled says OVL_CANCELLED, unless it was done already.",
        in: "overlay_types.h, OVL_CANCELLED", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling,
        advice: "Pass the status of a service on; return OVL_CANCELLED if is_cancelled says 1.")

    static let cancelHeard = rule(
        "faults/cancel-heard", "A method that was cancelled returns soon.",
        in: "overlay_services.h, ovl_cancel_service", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling,
        advice: "Ask is_cancelled in every loop that can be long, and wait by the service.")

    static let cancelCrash = rule(
        "faults/cancel-crash", "A cancel ends the method and not the overlay.",
        in: "overlay_services.h, ovl_cancel_service", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling, advice: "Check the status of every call of a service.")

    static let cancelLeftovers = rule(
        "faults/cancel-leftovers", "A cancelled upload leaves nothing half done on the device.",
        in: "overlay_services.h, ovl_cancel_service",
        trial: cancelTrial + " The files of the device are compared with those from before.", [.uploadBooks],
        shownBy: .cancelling,
        advice: "Within the grace after a cancel the transport works: remove what you have written.")

    static let leakDescriptors = rule(
        "leaks/descriptors", "What a method opens it closes.", in: "abi.md, Rules: Only values cross",
        trial:
            "Devices come, are listed, and are ejected over and over; the open descriptors of the worker are counted.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Close files, pipes and databases on every way out.")

    static let leakMemory = rule(
        "leaks/memory", "What a method allocates it frees.", in: "abi.md, Rules: Only values cross",
        trial:
            "Devices come, are listed, and are ejected over and over; the memory of the worker is measured.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Look for it with the leak checker of your compiler's sanitizers, and --in-process.")

    static let leakInstance = rule(
        "leaks/instance", "What an instance has opened and allocated, shutdown and destroy give back.",
        in: "overlay_methods.h, ovl_entry",
        trial:
            "Instances come and go in one worker over and over; its open descriptors are counted and its memory is measured.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Free in destroy what create has allocated, and end in shutdown what initialize has begun.")
}
