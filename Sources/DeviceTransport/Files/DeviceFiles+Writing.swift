import DeviceWire

extension DeviceFiles {
    /// Writes a file safely (see `WriteOptions`). Returns its status on the device.
    @discardableResult
    public func write(
        _ source: UploadSource, to path: String, options: WriteOptions = WriteOptions(),
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) -> FileStatus {
        try pushMany([PushRequest(source, to: path, options: options)], context)[0].get()
    }

    /// Writes many files safely. The results are in the requested order; `each` gets each result when it is complete.
    public func pushMany(
        _ requests: [PushRequest], _ context: OperationContext = OperationContext(),
        each: (Int, TransferResult<FileStatus>) -> Void = { _, _ in }
    ) -> [TransferResult<FileStatus>] {
        let meter = ProgressMeter(context, items: requests.count)
        let results = Results<FileStatus>(requests.count)
        let jobs = requests.enumerated().map { index, request -> AFCJob in
            do throws(TransportError) {
                let path = try DevicePath(request.path)
                guard !path.isRoot else { throw TransportError(.isFolder, "This is a folder.", subject: "/") }
                // If two files have the same content, only one can be written under the name for that content.
                let partial = request.options.partialDigest.map(path.partialSibling).flatMap {
                    reserve($0) ? $0 : nil
                }
                guard partial != nil || reserve(path.temporarySibling) else {
                    throw TransportError(.busy, "The file is already being written.", subject: path.text)
                }
                return PushJob(
                    index, request, path, partial: partial, chunk: session.options.chunkSize, meter,
                    session.options.localFiles, context)
            } catch {
                return RefusedJob(index, error)
            }
        }
        run(jobs, context, meter) { job in
            if let job = job as? PushJob { release(job.reserved) }
            guard let result = (job as? PushJob)?.result() ?? job.failure.map({ .failure($0) }) else {
                return
            }
            results.values[job.index] = result
            each(job.index, result)
        }
        return results.finished
    }

    /// Renames or moves a file or folder within the root.
    ///
    /// Unless it `replaces`, an existing target is not changed and the call fails with `.exists`.
    public func rename(
        _ path: String, to newPath: String, replaces: Bool = false,
        _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        let (from, to) = (try DevicePath(path), try DevicePath(newPath))
        if !replaces, from.text != to.text, try exists(to.text, context) {
            throw TransportError(.exists, "A file or folder with this name already exists.", subject: to.text)
        }
        let job = RenameJob(from.text, to: to.text)
        run([job], context)
        if let failure = job.failure { throw failure }
    }

    /// Creates a folder, and its missing parents if `intermediate`. An existing folder is not an error.
    ///
    /// Takes one request if the device creates parents too. On other devices each folder is created separately; they
    /// may refuse to create existing folders.
    public func makeFolder(
        _ path: String, intermediate: Bool = true, _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        let path = try DevicePath(path)
        if path.isRoot { return }
        do throws(TransportError) {
            return try makeOneFolder(path.text, context)
        } catch {
            guard intermediate, [.notFound, .permissionDenied].contains(error.code) else { throw error }
        }
        for folder in path.ancestors + [path.text] { try makeOneFolder(folder, context) }
    }

    private func makeOneFolder(_ path: String, _ context: OperationContext) throws(TransportError) {
        do throws(TransportError) {
            try request(.makeDirectory(path: path), about: path, context) {
                answer throws(TransportError) in
                if let error = answer.failure(path) { throw error }
            }
        } catch {
            guard [.exists, .permissionDenied].contains(error.code) else { throw error }
            switch statMany([path], context)[0] {
            case .success(let status) where status.kind == .file:
                throw TransportError(.notFolder, "A file with this name exists.", subject: path)
            case .success: return
            case .failure(let reason) where reason.code == .notFound: throw error
            case .failure(let reason): throw reason
            }
        }
    }
}

extension DeviceFiles {
    /// Removes a file or folder. For a folder that has entries, throws `.folderNotEmpty` unless `recursive`.
    public func remove(
        _ path: String, recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        try removeMany([path], recursive: recursive, context)[0].get()
    }

    /// Removes many files or folders like `remove`. The results are in the requested order. Sends one request for
    /// each, in parallel.
    public func removeMany(
        _ paths: [String], recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) -> [TransferResult<Void>] {
        var results: [TransferResult<Void>] = requests(paths, context) { path throws(TransportError) in
            let path = try DevicePath(path)
            guard !path.isRoot else {
                throw TransportError(.invalidArgument, "The root itself cannot be removed.", subject: "/")
            }
            return Request(
                recursive ? .removePathAndContents(path: path.text) : .removePath(path: path.text), path.text,
                removes: true)
        } parse: { answer, path throws(TransportError) in
            // Devices have no specific status for a folder that is not empty.
            if !recursive, case .status(.unknownError) = answer {
                throw TransportError(
                    .folderNotEmpty, "The folder is not empty.", subject: path,
                    hint: "Remove its contents first, or remove it with its contents.",
                    native: NativeCode(.afc, 1, AFCStatus.unknownError.name))
            }
            if let error = answer.failure(path) { throw error }
        }
        guard recursive else { return results }
        // iOS before version 6 cannot remove a tree with one request.
        for index in paths.indices {
            guard case .failure(let error) = results[index], error.code == .notSupported else { continue }
            results[index] = Result { () throws(TransportError) in
                try removeTree(try DevicePath(paths[index]).text, depth: 0, context)
            }
        }
        return results
    }

    /// Removes a tree from its leaves up, one level at a time.
    private func removeTree(_ path: String, depth: Int, _ context: OperationContext) throws(TransportError) {
        guard depth < 64 else {
            throw TransportError(.tooLarge, "The folders are nested too deeply.", subject: path)
        }
        if try stat(path, context).kind == .folder {
            let entries = try entries(path, context)
            for entry in entries where entry.status.kind == .folder {
                try removeTree(path + "/" + entry.name, depth: depth + 1, context)
            }
            let files = entries.filter { $0.status.kind != .folder }.map { path + "/" + $0.name }
            for result in removeMany(files, context) { try result.get() }
        }
        try remove(path, context)
    }
}
