extension HostSession {
    /// Runs a special command of the reader app, and returns its answer.
    ///
    /// The overlay's help lists the commands. Available only in development mode, because such a command may have any
    /// effect. `names`: books, as in `find`.
    /// - Throws: `notSupported` outside development mode, for an overlay without such commands, and for an unknown
    ///   command.
    public func perform(_ command: String, parameters: [(String, String)] = [], books names: [String] = [])
        throws(HostError) -> [UInt8]
    {
        let values = try request.preferences.read().with(request.overlays.schema)
        guard try values.bool("development_mode") else {
            throw HostError(
                .notSupported, "App-specific commands are available only in development mode.",
                subject: command, hint: "Turn it on with: overlayhost prefs set development_mode true",
                hintCode: .preference)
        }
        let paths = try paths(of: names)
        link.progress.begin("Performing \(command)")
        // The command may change the books.
        forgetBooks()
        do throws(HostError) {
            return try link.instance.perform(command, parameters: parameters, paths: paths)
        } catch {
            throw settled(error)
        }
    }
    /// The paths of the books with the given names. Throws an error for the first name without a book.
    package func paths(of names: [String]) throws(HostError) -> [String] {
        var paths: [String] = []
        if !names.isEmpty {
            for found in try find(names) { paths.append(try found.get().path) }
        }
        return paths
    }
}
