import OverlayABI
import OverlayHost

extension FaultScenario {
    /// A way in which the device is lost at a request, which is counted.
    struct Loss {
        /// What happens, such as `The device vanished`.
        let clause: String
        /// The rule that an overlay says so, or has done everything.
        let status: ConformanceRule
        /// At which of so many requests it is tried.
        let points: (Int) -> [Int]
        /// Begins to count; the device is lost at a request, or not at all.
        let arm: (Int?) -> Void
        /// Requests since `arm`.
        let requests: () -> Int
        /// Whether the device has been lost.
        let isLost: () -> Bool
        /// Ends the loss within a trial, before this tidies up.
        var recover: () -> Void = {}
        /// Ends the loss after a trial.
        var reconnect: () throws(HostError) -> Void = { () throws(HostError) in }
    }

    /// Does each work whole, and then loses the device at one request after the other, until one finding tells enough.
    ///
    /// - Parameter judge: looks at more than the status: is given what happened and where, for a sentence.
    func losing(
        _ loss: Loss, judge: (Trial, FaultedWork.WorkOutcome, String) -> Void = { _, _, _ in }
    ) throws(HostError) {
        for work in FaultedWork.all(bench, try somePath()) + FaultedWork.changing(bench) {
            try losing(loss, in: work, judge)
        }
    }

    private func losing(
        _ loss: Loss, in work: FaultedWork, _ judge: (Trial, FaultedWork.WorkOutcome, String) -> Void
    ) throws(HostError) {
        let (files, paths) = (bench.files(), try paths())
        var requests = 0
        let whole = try attached { trial -> FaultedWork.WorkOutcome? in
            guard work.prepare(trial) else { return nil }
            loss.arm(nil)
            let workOutcome = work.run(trial)
            requests = loss.requests()
            return trial.isSound ? workOutcome : nil
        }
        if work.changesBooks { try restore(files, paths) }
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        for point in loss.points(requests) {
            let isUsable: Bool? = try attached { trial in
                guard work.prepare(trial) else { return false }
                loss.arm(point)
                if let workOutcome = work.run(trial), loss.isLost() {
                    let what = "\(loss.clause) at request \(point) of \(requests) of \(work.method.rawValue)"
                    judge(trial, workOutcome, what)
                    judgeStatus(trial, workOutcome, whole, loss.status, what)
                }
                _ = trial.note(.yanked)
                loss.recover()
                trial.cleanUp()
                return trial.isSound
            }
            try loss.reconnect()
            if work.changesBooks { try restore(files, paths) }
            guard isUsable == true else { return }
        }
    }

    private func judgeStatus(
        _ trial: Trial, _ workOutcome: FaultedWork.WorkOutcome, _ whole: FaultedWork.WorkOutcome,
        _ rule: ConformanceRule,
        _ what: String
    ) {
        trial.tries(rule, crash)
        let status = trial.watch.status
        if status == OVL_OK {
            let isWhole = workOutcome.amount + UInt64(workOutcome.failures.count) >= whole.amount
            return trial.expect(
                isWhole, rule,
                "\(what), which succeeded with \(workOutcome.amount) instead of \(whole.amount).")
        }
        trial.expect(
            [OVL_DEVICE_GONE, OVL_CANCELLED, OVL_STOPPED].contains(status), rule,
            "\(what), which returned \(HostError.Code(status: status)).")
    }
}
