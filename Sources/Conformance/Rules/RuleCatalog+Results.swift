import OverlayHost

extension RuleCatalog {
    /// Rules about results other than rows, and about the use of sinks.
    static let results: [ConformanceRule] = [
        resultOne, resultValues, resultPresent, bytesGaps, bytesTotal, sinkStop, sinkThread, sinkKept,
    ]

    private static func rule(
        _ id: String, _ clause: String, in place: String, trial: String,
        methods: [OverlayMethod], shownBy scenarios: Set<Scenario> = [.course], advice: String
    ) -> ConformanceRule {
        ConformanceRule(
            id, clause, in: place, trial: trial, advice: advice, shownBy: scenarios, needs: .methods(methods))
    }

    private static let single: [OverlayMethod] = [.canHandle, .settings, .isUSBConnected]

    static let resultOne = rule(
        "results/one", "can_handle and settings put exactly one record.",
        in: "overlay_methods.h, can_handle", trial: "Both are called on a healthy device.",
        methods: [.canHandle, .settings], advice: "Return after the first record.")

    static let resultValues = rule(
        "results/values",
        "An answer and its reason are defined by the contract, an index is that of a device or -1, and a "
            + "missing ability is named only once and has a reason.",
        in: "overlay_records.h, ovl_presence", trial: "The values of single results are checked.",
        methods: single, advice: "Use the constants of the header.")

    static let resultPresent = ConformanceRule(
        "results/present", "OVL_OK means that every promised result was delivered.",
        in: "overlay_types.h, OVL_OK", trial: "create and each method that promises one result are called.",
        advice: "Put the result before you return OVL_OK, or return an error.", shownBy: [.course],
        needs: .instance)

    static let bytesGaps = rule(
        "bytes/gaps", "A file is delivered in chunks, in order, without gaps.",
        in: "overlay_types.h, ovl_bytes_sink", trial: "A book is fetched.", methods: [.getFile, .perform],
        advice: "Count offset from the start of the requested range.")

    static let bytesTotal = rule(
        "bytes/total", "total is the number of bytes delivered, or OVL_UNKNOWN.",
        in: "overlay_types.h, ovl_bytes_sink", trial: "A book is fetched.", methods: [.getFile, .perform],
        advice: "Use OVL_UNKNOWN if the size is not known in advance.")

    static let sinkStop = rule(
        "sinks/stop", "A sink that has returned OVL_STOPPED receives nothing more.",
        in: "overlay_types.h, OVL_STOPPED",
        trial: "Sinks return OVL_STOPPED for the first record they receive.",
        methods: [.books, .getFile], shownBy: [.stopping],
        advice: "Check what put returns, and return OVL_STOPPED.")

    static let sinkThread = rule(
        "sinks/thread", "A sink is called on the thread of the call it was given to.",
        in: "abi.md, Threads", trial: "The thread of each sink call is checked.",
        methods: givingMethods + [.getFile], shownBy: [.course, .states],
        advice: "Collect results on other threads, and put them on the method's thread.")

    static let sinkKept = rule(
        "sinks/kept", "A sink is not used after its call has returned.", in: "abi.md, Threads",
        trial: "Calls of sinks whose method has returned are detected.", methods: givingMethods + [.getFile],
        shownBy: [.course, .states], advice: "Do not keep pointers passed to a method.")
}
