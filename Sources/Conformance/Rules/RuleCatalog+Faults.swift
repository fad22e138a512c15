import OverlayHost

extension RuleCatalog {
    /// Rules for errors, and for long operations.
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
        "books, get_file, upload_books, delete_books and sync_booklists run while the device disappears "
        + "at one of their requests, a different one each time."
    private static let fullTrial =
        "A book is added while the device is full at one of the write requests, a different one each time."
    private static let cancelTrial =
        "books, get_file and upload_books are cancelled at one of their progress reports or requests, a different one each time."

    static let vanishStatus = rule(
        "faults/vanish-status",
        "A method whose device is gone returns OVL_DEVICE_GONE, unless it already had everything it "
            + "needed.",
        in: "overlay_types.h, OVL_DEVICE_GONE", trial: vanishTrial, working, shownBy: .vanishing,
        advice: "Pass on the status of a service. Do not treat missing data as nonexistent.")

    static let vanishRows = rule(
        "faults/vanish-rows",
        "A row that failed because the device is gone has the status "
            + "OVL_DEVICE_GONE.",
        in: "abi.md, Errors: lower layers are wrapped, never renamed", trial: vanishTrial,
        [.uploadBooks, .deleteBooks, .syncBooklists], shownBy: .vanishing,
        advice: "Put the status of the service into the row.")

    static let vanishCrash = ConformanceRule(
        "faults/vanish-crash", "A device that disappears ends the method, not the overlay.",
        in: "overlay_services.h, ovl_transport_service", trial: vanishTrial,
        advice: "Check the status of every service call.", shownBy: [.vanishing, .severing],
        needs: .trial(working))

    static let cutStatus = rule(
        "faults/cut-status", "A partial answer, received before the cable is pulled, is not used.",
        in: "overlay_types.h, OVL_DEVICE_GONE",
        trial:
            "The same methods run while the cable is pulled before the device's file service has "
            + "answered a request, a different one each time.", working, shownBy: .severing,
        advice: "Check the status that a service returns even after its sink has received data.")

    static let fullStatus = rule(
        "faults/full-status", "A full device is reported as OVL_NO_SPACE.",
        in: "abi.md, Errors: lower layers are wrapped, never renamed", trial: fullTrial, [.uploadBooks],
        shownBy: .filling, advice: "Put the status of write and push into the row.")

    static let fullCrash = rule(
        "faults/full-crash", "A full device ends the upload, not the overlay.",
        in: "overlay_services.h, ovl_transport_service", trial: fullTrial, [.uploadBooks], shownBy: .filling,
        advice: "Check the status of every service call.")

    static let fullLeftovers = rule(
        "faults/full-leftovers", "A book that could not be added leaves nothing on the device.",
        in: "overlay_methods.h, upload_books",
        trial: fullTrial + " The files of the device are compared with those from before.", [.uploadBooks],
        shownBy: .filling, advice: "Remove what you have written before you report the failure.")

    static let cancelStatus = rule(
        "faults/cancel-status", "A cancelled method returns OVL_CANCELLED, unless it had already finished.",
        in: "overlay_types.h, OVL_CANCELLED", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling,
        advice: "Pass on the status of a service. Return OVL_CANCELLED if is_cancelled returns 1.")

    static let cancelHeard = rule(
        "faults/cancel-heard", "A cancelled method returns soon.",
        in: "overlay_services.h, ovl_cancel_service", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling,
        advice: "Check is_cancelled in every loop that can take long, and wait with the service.")

    static let cancelCrash = rule(
        "faults/cancel-crash", "A cancel ends the method, not the overlay.",
        in: "overlay_services.h, ovl_cancel_service", trial: cancelTrial, [.books, .getFile, .uploadBooks],
        shownBy: .cancelling, advice: "Check the status of every service call.")

    static let cancelLeftovers = rule(
        "faults/cancel-leftovers", "A cancelled upload leaves nothing unfinished on the device.",
        in: "overlay_services.h, ovl_cancel_service",
        trial: cancelTrial + " The files of the device are compared with those from before.", [.uploadBooks],
        shownBy: .cancelling,
        advice: "The transport still works for a short time after a cancel: remove what you have written.")

    static let leakDescriptors = rule(
        "leaks/descriptors", "A method closes what it opens.", in: "abi.md, Rules: Only values cross",
        trial:
            "Devices are attached, listed and ejected repeatedly; the worker's open descriptors are "
            + "counted.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Close files, pipes and databases on every exit path.")

    static let leakMemory = rule(
        "leaks/memory", "A method frees what it allocates.", in: "abi.md, Rules: Only values cross",
        trial:
            "Devices are attached, listed and ejected repeatedly; the worker's memory is measured. If it grows, "
            + "the trial goes on until it stops growing, which shows nothing, or has grown in every block of rounds.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Use your compiler's leak sanitizer with --in-process.")

    static let leakInstance = rule(
        "leaks/instance",
        "shutdown and destroy release everything that an instance has opened and "
            + "allocated.",
        in: "overlay_methods.h, ovl_entry",
        trial:
            "Instances are created and destroyed repeatedly in one worker; its open descriptors are "
            + "counted, and its memory is measured as for leaks/memory.",
        [.books, .canHandle], shownBy: .repetition,
        advice: "Free in destroy what create has allocated, and stop in shutdown what initialize has "
            + "started.")
}
