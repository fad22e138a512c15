import Platform

/// Makes the choice in steps.
struct AppChooser {
    private let facts: AppChoiceFacts
    private let served: [ServedApp]
    /// The apps on the device that only the overlay for any app serves.
    private let others: [ServedApp]

    init(_ facts: AppChoiceFacts) {
        self.facts = facts
        served = ServedApp.all(facts.overlays)
        others = AnyAppOverlay(facts.overlays)?.apps(facts.installed) ?? []
    }

    func choose() throws(HostError) -> AppChoice {
        if let development = try developmentChoice() { return development }
        if let wanted = Self.filled(facts.requested) { return try named(wanted, .option) }
        if let wanted = Self.filled(facts.preferred) { return try named(wanted, .preference) }
        return try onlyServed()
    }

    /// The overlay that will be used, if that does not depend on the apps of the device; otherwise nil.
    func certainOverlay() -> AppChoice.Source? {
        do throws(HostError) {
            if let development = try developmentChoice() { return development.overlay }
        } catch {
            return nil
        }
        if let wanted = Self.filled(facts.requested) {
            // The name may be the home screen name of the app under development.
            return isDeveloping ? nil : find(wanted).map { .discovered(id: $0.overlayID) }
        }
        if let wanted = Self.filled(facts.preferred) {
            return find(wanted).map { .discovered(id: $0.overlayID) }
        }
        return facts.overlays.count == 1 ? facts.overlays.first.map { .discovered(id: $0.id) } : nil
    }

    /// Whether the settings for an overlay under development are complete.
    private var isDeveloping: Bool {
        facts.development.isOn && Self.filled(facts.development.appID) != nil
            && Self.filled(facts.development.overlay) != nil
    }

    private static func filled(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text
    }

    private static func same(_ a: String, _ b: String) -> Bool { a.lowercased() == b.lowercased() }

    // MARK: development

    private func developmentChoice() throws(HostError) -> AppChoice? {
        guard facts.development.isOn, let appID = Self.filled(facts.development.appID),
            let file = Self.filled(facts.development.overlay)
        else { return nil }
        let installed = facts.installed?.first { $0.bundleID == appID }
        let known = KnownReaderApp.all.first { $0.bundleIDs.contains(appID) }
        let servedName = served.first { $0.bundleIDs.contains(appID) }?.name
        if let wanted = Self.filled(facts.requested) {
            let names =
                [appID, installed?.name, known?.name, servedName].compactMap { $0 } + (known?.aliases ?? [])
            guard names.contains(where: { Self.same($0, wanted) }) else { return nil }
        }
        if facts.installed != nil, installed == nil {
            throw HostError(
                .appNotInstalled, "The app set in development_app_id is not on the device.",
                subject: appID,
                hint: "Correct it with: overlayhost prefs set development_app_id BUNDLE-ID",
                hintCode: .preference)
        }
        return AppChoice(
            overlay: .development(file: file), bundleIDs: [appID],
            appName: known?.name ?? servedName ?? installed?.name ?? appID, reason: .development, notes: [])
    }

    // MARK: by name

    private func named(_ wanted: String, _ reason: AppChoice.Reason) throws(HostError) -> AppChoice {
        guard let app = find(wanted) else {
            if let other = try other(wanted) { return choice(other, reason) }
            throw unserved(wanted, reason)
        }
        guard let present = app.on(facts.installed) else {
            let near = NearestName.find(wanted, in: candidates().map(\.name)).map { "Did you mean \($0)?" }
            let hints = [near, choiceHint(reason)].compactMap { $0 }
            throw HostError(
                .appNotInstalled, "The app is not on the device.", subject: app.name,
                hint: hints.isEmpty
                    ? "Install it on the device, or attach the device that has it."
                    : hints.joined(separator: " "),
                hintCode: hintCode(reason))
        }
        var choice = choice(present, reason)
        let rivals = served.filter { $0.name == app.name && $0.overlayID != app.overlayID }
        if Self.same(app.name, wanted), let rival = rivals.first {
            choice.notes.append(
                "Both the overlays \(app.overlayID) and \(rival.overlayID) serve \(app.name). Using "
                    + "\(app.overlayID)."
            )
        }
        return choice
    }

    /// Finds an app by its name, the overlay's name for it, a bundle identifier, a known name, or the name on the
    /// home screen.
    private func find(_ wanted: String) -> ServedApp? {
        if let app = served.first(where: { Self.same($0.name, wanted) }) { return app }
        if let app = serving({ Self.same($0, wanted) }) { return app }
        if let known = KnownReaderApp.all.first(where: { $0.isCalled(wanted) }),
            let app = serving({ known.bundleIDs.contains($0) })
        {
            return app
        }
        guard let installed = facts.installed?.first(where: { Self.same($0.name, wanted) }) else {
            return nil
        }
        return serving { $0 == installed.bundleID }
    }

    /// Finds an app without its own overlay by its name on the home screen, its bundle identifier, or, if there is
    /// only one, the common name that their overlay uses.
    private func other(_ wanted: String) throws(HostError) -> ServedApp? {
        let named = others.filter { app in
            Self.same(app.name, wanted) || app.bundleIDs.contains { Self.same($0, wanted) }
        }
        if named.count > 1 {
            let ids = named.flatMap(\.bundleIDs).joined(separator: ", ")
            throw HostError(
                .appNotChosen, "\(named.count) apps have this name.", subject: wanted,
                hint: "Choose one by bundle id with --app: \(ids).", hintCode: .chooseApp)
        }
        if let app = named.first { return app }
        guard let overlay = AnyAppOverlay(facts.overlays)?.descriptor, Self.same(overlay.appName, wanted),
            !others.isEmpty
        else { return nil }
        guard others.count == 1 else { throw several(others) }
        return others[0]
    }

    /// The first served app with matching bundle identifiers, reduced to these.
    private func serving(_ fits: (String) -> Bool) -> ServedApp? {
        guard var app = served.first(where: { $0.bundleIDs.contains(where: fits) }) else { return nil }
        app.bundleIDs = app.bundleIDs.filter(fits)
        return app
    }

    private func unserved(_ wanted: String, _ reason: AppChoice.Reason) -> HostError {
        let known = KnownReaderApp.all.first { app in
            app.isCalled(wanted) || app.bundleIDs.contains { Self.same($0, wanted) }
        }
        let isInstalled =
            facts.installed?.contains { Self.same($0.name, wanted) || Self.same($0.bundleID, wanted) }
            ?? false
        if isInstalled, known == nil, uncopied == nil, AnyAppOverlay(facts.overlays) != nil {
            return HostError(
                .noOverlay, "No overlay serves this app, and the app does not share its files.",
                subject: wanted,
                hint:
                    "Without its own overlay, an app is supported only if it has file sharing "
                    + "(UIFileSharingEnabled)."
                    + (choiceHint(reason).map { " " + $0 } ?? ""),
                hintCode: hintCode(reason))
        }
        // An overlay that could not be copied may be the one for this app.
        if known != nil || isInstalled, let uncopied { return uncopied.about(known?.name ?? wanted) }
        if known != nil || isInstalled {
            return HostError(
                .noOverlay, "No usable overlay serves this app.", subject: known?.name ?? wanted,
                hint:
                    "Put one into a plugins folder. 'overlayhost overlays' lists the overlays found and "
                    + "why any were refused."
                    + (choiceHint(reason).map { " " + $0 } ?? ""),
                hintCode: hintCode(reason))
        }
        let names =
            served.map(\.name) + others.map(\.name) + KnownReaderApp.all.flatMap { [$0.name] + $0.aliases }
        // Include apps that cannot be served: their names lead to the reason.
        let near =
            NearestName.find(wanted, in: names)
            ?? NearestName.find(wanted, in: facts.installed?.map(\.name) ?? [])
        let nearest = near.map { "Did you mean \($0)?" }
        let hints = [nearest, choiceHint(reason)].compactMap { $0 }
        return HostError(
            .noOverlay,
            reason == .preference
                ? "No reader app has the name that is set in preferred_reader_app."
                : "No reader app has that name.", subject: wanted,
            hint: hints.isEmpty
                ? "List the apps on the device with: overlayhost apps" : hints.joined(separator: " "),
            hintCode: hints.isEmpty ? .list : hintCode(reason))
    }

    /// The error that an overlay could not be copied, for example because the temporary folder is full; nil if there
    /// is none.
    private var uncopied: HostError? {
        let refusal = facts.noOverlay.underlying as? OverlayRefusal
        return refusal?.code == .copyFailed ? facts.noOverlay : nil
    }

    /// The code of a hint with `choiceHint` in it; nil if that names no option.
    private func hintCode(_ reason: AppChoice.Reason) -> HintCode? {
        reason == .preference && choiceHint(reason) != nil ? .chooseApp : nil
    }

    /// A hint on how to choose another app, with the possible names.
    private func choiceHint(_ reason: AppChoice.Reason) -> String? {
        let names = Self.shortened(candidates().map(\.name) + others.map(\.name))
        guard !names.isEmpty else { return nil }
        let list = names.joined(separator: ", ")
        switch reason {
        case .preference:
            return
                "Supported apps on this device: \(list). Choose one with --app NAME, or set a default with "
                + "'overlayhost prefs set preferred_reader_app NAME'."
        default: return "Supported apps on this device: \(list)."
        }
    }

    // MARK: by the apps on the device

    /// The served apps on the device. Each bundle identifier belongs to the first overlay that serves it.
    private func candidates() -> [ServedApp] {
        var taken: Set<String> = []
        var apps: [ServedApp] = []
        for app in served {
            guard var present = app.on(facts.installed) else { continue }
            present.bundleIDs.removeAll { taken.contains($0) }
            guard !present.bundleIDs.isEmpty else { continue }
            taken.formUnion(present.bundleIDs)
            apps.append(present)
        }
        return apps
    }

    /// The apps on the device besides the chosen one, without those that are part of iOS.
    func otherApps(than choice: AppChoice) -> [OtherApp] {
        let apps = (candidates() + others).filter {
            !$0.isPartOfIOS && Set($0.bundleIDs).isDisjoint(with: choice.bundleIDs)
        }
        return apps.map { app in
            let isUnique = app.name != choice.appName && apps.count { $0.name == app.name } == 1
            return OtherApp(
                name: app.name, argument: isUnique ? app.name : app.bundleIDs[0],
                formats: facts.overlays.first { $0.id == app.overlayID }?.formats ?? [])
        }
    }

    private func onlyServed() throws(HostError) -> AppChoice {
        let all = candidates()
        let candidates = all.filter { !$0.isPartOfIOS }
        guard let first = candidates.first else {
            // Apps without their own overlay are used only if there is no other candidate, and apps that are on every
            // device only after them.
            guard let other = others.first ?? all.first else { throw nothingServed() }
            guard others.count <= 1 else { throw several(others + all) }
            return choice(other, .onlyServedApp)
        }
        guard candidates.allSatisfy({ $0.name == first.name }) else {
            throw several(candidates, besides: all.filter(\.isPartOfIOS) + others)
        }
        return choice(first, .onlyServedApp)
    }

    /// - Parameter further: apps that are used only if the user names them.
    private func several(_ apps: [ServedApp], besides further: [ServedApp] = []) -> HostError {
        var names: [String] = []
        for app in apps where !names.contains(app.name) { names.append(app.name) }
        let others = Self.shortened(further.map(\.name).filter { !names.contains($0) })
        return HostError(
            .appNotChosen,
            "The device has several supported reader apps: "
                + "\(Self.shortened(names).joined(separator: ", ")).",
            hint:
                "Choose one with --app NAME, or set a default with "
                + "'overlayhost prefs set preferred_reader_app NAME'."
                + (others.isEmpty ? "" : " NAME can also be: \(others.joined(separator: ", "))."),
            hintCode: .chooseApp)
    }

    /// Shortens a list of names, because devices have dozens of apps with file sharing.
    private static func shortened(_ names: [String]) -> [String] {
        names.count <= 12 ? names : names.prefix(10) + ["and \(names.count - 10) more"]
    }

    private func nothingServed() -> HostError {
        if facts.overlays.isEmpty { return facts.noOverlay }
        if let uncopied { return uncopied }
        var names: [String] = []
        for app in served where !names.contains(app.name) { names.append(app.name) }
        let hasAny = AnyAppOverlay(facts.overlays) != nil
        return HostError(
            .appNotInstalled,
            hasAny
                ? "The device has no supported app: none has its own overlay, and none shares its files."
                : "No supported reader app is on the device.",
            hint: names.isEmpty
                ? "Install an app that supports file sharing."
                : "Install one of them on the device: \(names.joined(separator: ", ")).")
    }

    private func choice(_ app: ServedApp, _ reason: AppChoice.Reason) -> AppChoice {
        AppChoice(
            overlay: .discovered(id: app.overlayID), bundleIDs: app.bundleIDs, appName: app.name,
            reason: reason,
            notes: [])
    }
}
