import OverlayABI
import OverlayHost

/// Every method in each of its states except the usual one, and an end from each state.
struct StatesScenario {
    let bench: CheckEnvironment

    private typealias Rules = RuleCatalog
    private let rule = RuleCatalog.namedStates

    func run() throws(HostError) {
        for life in [fromCreated, fromInitialized, fromAttached, fromYanked, fromEjected] { try life() }
    }

    private func fromCreated() throws(HostError) {
        let trial = try Trial(bench, .states)
        if case .failure(let error)? = trial.attempt(
            "create", { () throws(HostError) in try trial.instance.create() })
        {
            trial.expect(false, rule, "create failed: \(error)")
        }
        trial.end(rule)
    }

    private func fromInitialized() throws(HostError) {
        let trial = try Trial(bench, .states)
        if trial.initialize(.breach(rule)) {
            edit(trial, "initialized")
            presence(trial, "initialized")
            settings(trial, "initialized")
        }
        trial.end(rule)
    }

    private func fromAttached() throws(HostError) {
        let trial = try Trial(bench, .states)
        if trial.initialize(.breach(rule)), trial.attach(.breach(rule)) {
            edit(trial, "attached")
            presence(trial, "attached")
            // The reader app is asked again from time to time.
            let fingerprint = bench.fingerprint
            _ = trial.value("can_handle while attached", rule) { () throws(HostError) in
                try trial.instance.canHandle(fingerprint)
            }
            _ = trial.note(.released)
            if trial.attach(.breach(rule)) { list(trial, "attached again") }
        }
        trial.end(rule)
    }

    private func fromYanked() throws(HostError) {
        let trial = try Trial(bench, .states)
        if trial.initialize(.breach(rule)), trial.attach(.breach(rule)) {
            list(trial, "attached")
            _ = trial.note(.yanked)
            edit(trial, "yanked")
            trial.cleanUp()
            if trial.goesOn, trial.attach(.breach(rule)) {
                list(trial, "attached after yanked")
                _ = trial.note(.yanked)
            }
        }
        trial.end(rule)
    }

    private func fromEjected() throws(HostError) {
        let trial = try Trial(bench, .states)
        if trial.initialize(.breach(rule)), trial.attach(.breach(rule)),
            trial.value("eject", rule, { () throws(HostError) in try trial.instance.call(.eject) }) != nil
        {
            edit(trial, "ejected")
            presence(trial, "ejected")
        }
        trial.end(rule)
    }

    // MARK: methods

    private func edit(_ trial: Trial, _ state: String) {
        var book = BookRecord(path: "/check.epub")
        book.title = "Check"
        let added = book
        if bench.overlay.methods.add_books_to_metadata != nil {
            _ = trial.value("add_books_to_metadata while \(state)", rule) { () throws(HostError) in
                try trial.instance.addBooksToMetadata([added], snapshot: [])
            }
        }
        guard bench.overlay.methods.remove_books_from_metadata != nil else { return }
        _ = trial.value("remove_books_from_metadata while \(state)", rule) { () throws(HostError) in
            try trial.instance.removeBooksFromMetadata([added.path], snapshot: [added])
        }
    }

    private func presence(_ trial: Trial, _ state: String) {
        guard bench.overlay.methods.is_usb_connected != nil else { return }
        let devices = [bench.fingerprint]
        _ = trial.value("is_usb_connected while \(state)", rule) { () throws(HostError) in
            try trial.instance.isUSBConnected(devices, presenceOnly: true)
        }
    }

    private func settings(_ trial: Trial, _ state: String) {
        guard bench.overlay.methods.settings != nil else { return }
        _ = trial.value("settings while \(state)", rule) { () throws(HostError) in
            try trial.instance.settings()
        }
    }

    private func list(_ trial: Trial, _ state: String) {
        guard bench.overlay.methods.books != nil else { return }
        _ = trial.value("books while \(state)", rule) { () throws(HostError) in try trial.instance.books() }
    }
}
