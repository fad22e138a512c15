import FoundationEssentials
import OverlayABI
import OverlayHost

/// The device is full at a writing request of an upload.
struct DiskFullScenario {
    private let base: FaultScenario

    init(_ bench: CheckEnvironment) {
        base = FaultScenario(bench: bench, scenario: .filling, crash: RuleCatalog.fullCrash)
    }

    private var bench: CheckEnvironment { base.bench }

    func run() throws(HostError) {
        guard bench.overlay.methods.upload_books != nil else { return }
        let (files, paths) = (bench.files(), try base.paths())
        var writes = 0
        let whole = try base.attached { trial -> FaultedWork.WorkOutcome? in
            bench.faults.arm()
            let workOutcome = FaultedWork.upload.run(trial)
            writes = bench.faults.writes
            return trial.isSound ? workOutcome : nil
        }
        try base.restore(files, paths)
        guard let whole, whole.error == nil, whole.failures.isEmpty else { return }
        for point in FaultPoints.chosen(of: writes, most: bench.options.faultPoints) {
            let isUsable: Bool? = try base.attached { trial in
                let before = bench.files()
                bench.faults.arm(fillsAt: point)
                let workOutcome = FaultedWork.upload.run(trial)
                guard let workOutcome, bench.faults.hasFilled else { return trial.isSound }
                judge(trial, workOutcome, "writing request \(point) of \(writes)")
                Leftovers(bench).judge(
                    trial, workOutcome, before, RuleCatalog.fullLeftovers,
                    "The device ran out of space at write \(point) of \(writes)")
                return trial.isSound
            }
            try base.restore(files, paths)
            guard isUsable == true else { return }
        }
    }

    private func judge(_ trial: Trial, _ workOutcome: FaultedWork.WorkOutcome, _ place: String) {
        trial.tries(RuleCatalog.fullStatus, RuleCatalog.fullCrash)
        let status = trial.watch.status
        if let code = workOutcome.failures.first {
            trial.expect(
                code == .noSpace, RuleCatalog.fullStatus,
                "The device was full at \(place), but the row failed with \(code).")
        } else if status != OVL_OK {
            trial.expect(
                status == OVL_NO_SPACE, RuleCatalog.fullStatus,
                "The device was full at \(place), but upload_books returned "
                    + "\(HostError.Code(status: status))."
            )
        }
    }
}

/// Checks the files that a failed upload has left on the device.
struct Leftovers {
    private let bench: CheckEnvironment

    init(_ bench: CheckEnvironment) { self.bench = bench }

    /// Reports new files, if no book was added.
    func judge(
        _ trial: Trial, _ workOutcome: FaultedWork.WorkOutcome, _ before: [String: Int],
        _ rule: ConformanceRule,
        _ what: String
    ) {
        // A running app also writes its own files.
        guard workOutcome.amount == 0, !bench.isActive else { return }
        // A backup of the earlier content does not count as unfinished work.
        let new = bench.files().keys.filter { before[$0] == nil && !isCopy($0, of: before) }.sorted()
        let names = new.map { $0.split(separator: "/").last.map { String($0) } ?? $0 }
        trial.expect(
            new.isEmpty, rule,
            "\(what), no book was added, but these files remain: \(names.joined(separator: ", ")).")
    }

    private func isCopy(_ path: String, of files: [String: Int]) -> Bool {
        files.keys.contains { FileManager.default.contentsEqual(atPath: path, andPath: $0) }
    }
}
