import BookModel
import OverlayABI
import OverlayBridge

extension ovl_methods {
    /// Sets the slots for the life cycle of an instance, which every overlay has.
    mutating func fillLifeSlots() {
        initialize = { instance, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                try instance.overlay.initialize()
            }
        }
        shutdown = { instance, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                try instance.overlay.shutdown()
            }
        }
    }

    /// Sets the slots for devices that `type` implements.
    mutating func fillDeviceSlots(_ type: any Overlay.Type) {
        if type is any ChecksUSB.Type { fillIsUSBConnected() }
        if type is any ChecksPresence.Type { fillCanHandle() }
        if type is any Ejects.Type {
            eject = { instance, error in
                Instance.run(instance, error) { (instance) throws(OverlayError) in
                    try Instance.capability(instance.ejects).eject()
                }
            }
        }
        if type is any CleansUpAfterYank.Type {
            post_yank_cleanup = { instance, error in
                Instance.run(instance, error) { (instance) throws(OverlayError) in
                    try Instance.capability(instance.cleansUpAfterYank).postYankCleanup()
                }
            }
        }
    }

    private mutating func fillIsUSBConnected() {
        is_usb_connected = { instance, devices, presenceOnly, index, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                guard let index = UnsafeMutablePointer<Int64>(bitPattern: UInt(bitPattern: index)) else {
                    throw .contractBroken("A null pointer for the index was passed.")
                }
                index.pointee = -1
                let fingerprints = try requiredView(devices).map(ovl_fingerprint.self, "devices") {
                    (record) throws(OverlayError) in try Fingerprint(record)
                }
                let found = try Instance.capability(instance.checksUSB)
                    .isUSBConnected(fingerprints, presenceOnly: presenceOnly != 0)
                guard let found else { return }
                guard fingerprints.indices.contains(found) else {
                    throw OverlayError(.failed, "The overlay chose device \(found) of \(fingerprints.count).")
                }
                index.pointee = Int64(found)
            }
        }
    }

    private mutating func fillCanHandle() {
        can_handle = { instance, device, answer, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let fingerprint = try Fingerprint(ovl_fingerprint.copy(required: device))
                let sink = try ForeignPresenceSink(answer)
                try sink.put(Instance.capability(instance.checksPresence).canHandle(fingerprint))
            }
        }
    }
}

extension ovl_methods {
    /// Sets the slots for books on the device that `type` implements.
    mutating func fillBookSlots(_ type: any Overlay.Type) {
        if type is any ListsBooks.Type { fillBooks() }
        if type is any ListsCollections.Type { fillCollections() }
        if type is any UploadsBooks.Type { fillUploadBooks() }
        if type is any DeletesBooks.Type { fillDeleteBooks() }
        if type is any FetchesBooks.Type { fillGetFile() }
        if type is any PreparesAddableBooks.Type { fillPrepareAddableBooks() }
    }

    private mutating func fillBooks() {
        books = { instance, options, books, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let wanted = try BooksOptions(ovl_books_options.copy(required: options))
                let sink = try ForeignBookSink(books)
                try Instance.capability(instance.listsBooks).books(wanted) { (book) throws(OverlayError) in
                    try sink.put(book)
                }
                try sink.checkOpen()
            }
        }
    }

    private mutating func fillCollections() {
        collections = { instance, collections, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let sink = try ForeignCollectionSink(collections)
                try Instance.capability(instance.listsCollections).collections {
                    (collection) throws(OverlayError) in try sink.put(collection)
                }
                try sink.checkOpen()
            }
        }
    }

    private mutating func fillUploadBooks() {
        upload_books = { instance, items, options, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let uploads = try requiredView(items).map(ovl_upload_item.self, "items") {
                    (record) throws(OverlayError) in try UploadItem(record)
                }
                let wanted = try UploadOptions(ovl_upload_options.copy(required: options))
                let sink = try ForeignResultSink(results)
                try Instance.capability(instance.uploadsBooks).uploadBooks(uploads, options: wanted) {
                    (row) throws(OverlayError) in try sink.put(row)
                }
                try sink.checkOpen()
            }
        }
    }

    private mutating func fillDeleteBooks() {
        delete_books = { instance, paths, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let books = try requiredView(paths).strings("paths") ?? []
                let sink = try ForeignResultSink(results)
                try Instance.capability(instance.deletesBooks).deleteBooks(books) {
                    (row) throws(OverlayError) in try sink.put(row)
                }
                try sink.checkOpen()
            }
        }
    }

    private mutating func fillGetFile() {
        get_file = { instance, path, bytes, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let book = try requiredView(path).required("path")
                let sink = try ForeignBytesSink(bytes)
                try Instance.capability(instance.fetchesBooks).getFile(book) {
                    (chunk, offset, total) throws(OverlayError) in
                    try sink.put(chunk, offset: offset, total: total)
                }
                try sink.checkOpen()
            }
        }
    }

    private mutating func fillPrepareAddableBooks() {
        prepare_addable_books = { instance, paths, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let books = try requiredView(paths).strings("paths") ?? []
                let sink = try ForeignResultSink(results)
                try Instance.capability(instance.preparesAddableBooks).prepareAddableBooks(books) {
                    (row) throws(OverlayError) in try sink.put(row)
                }
                try sink.checkOpen()
            }
        }
    }
}

extension ovl_methods {
    /// Sets the slots for booklists that `type` implements.
    mutating func fillBooklistSlots(_ type: any Overlay.Type) {
        if type is any AddsToBooklist.Type { fillAddBooksToMetadata() }
        if type is any RemovesFromBooklist.Type { fillRemoveBooksFromMetadata() }
        if type is any SyncsBooklists.Type { fillSyncBooklists() }
    }

    private mutating func fillAddBooksToMetadata() {
        add_books_to_metadata = { instance, added, snapshot, edits, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let new = try Book.list(added, "added")
                let old = try Book.list(snapshot, "snapshot")
                let sink = try ForeignEditSink(edits)
                let changes = try Instance.capability(instance.addsToBooklist)
                    .addBooksToMetadata(new, snapshot: old)
                for edit in changes { try sink.put(edit) }
            }
        }
    }

    private mutating func fillRemoveBooksFromMetadata() {
        remove_books_from_metadata = { instance, paths, snapshot, edits, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let gone = try requiredView(paths).strings("paths") ?? []
                let old = try Book.list(snapshot, "snapshot")
                let sink = try ForeignEditSink(edits)
                let changes = try Instance.capability(instance.removesFromBooklist)
                    .removeBooksFromMetadata(gone, snapshot: old)
                for edit in changes { try sink.put(edit) }
            }
        }
    }

    private mutating func fillSyncBooklists() {
        sync_booklists = { instance, books, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let edited = try Book.list(books, "books")
                let sink = try ForeignResultSink(results)
                try Instance.capability(instance.syncsBooklists).syncBooklists(edited) {
                    (row) throws(OverlayError) in try sink.put(row)
                }
                try sink.checkOpen()
            }
        }
    }
}

extension Book {
    /// Copies the books of a list, which must not be null according to the contract.
    fileprivate static func list(
        _ pointer: UnsafePointer<ovl_list>, _ field: StaticString
    ) throws(OverlayError) -> [Book] {
        try requiredView(pointer).map(ovl_book.self, field) { (record) throws(OverlayError) in
            try Book(record)
        }
    }
}

extension ovl_methods {
    /// Sets the slots for the current device and app that `type` implements.
    mutating func fillSettingsSlots(_ type: any Overlay.Type) {
        if type is any ProvidesSettings.Type { fillSettings() }
        if type is any PerformsCommands.Type { fillPerform() }
    }

    private mutating func fillSettings() {
        settings = { instance, settings, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let sink = try ForeignSettingsSink(settings)
                try sink.put(Instance.capability(instance.providesSettings).settings())
            }
        }
    }

    private mutating func fillPerform() {
        perform = { instance, command, parameters, paths, answer, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let command = try requiredView(command).required("command")
                let parameters = try requiredView(parameters).map(ovl_pair.self, "parameters") {
                    (pair) throws(OverlayError) in
                    (try pair.key.required("pair.key"), try pair.value.string("pair.value") ?? "")
                }
                let books = try requiredView(paths).strings("paths") ?? []
                let sink = try ForeignBytesSink(answer)
                try Instance.capability(instance.performsCommands).perform(
                    command, parameters: parameters, paths: books
                ) { (chunk, offset, total) throws(OverlayError) in
                    try sink.put(chunk, offset: offset, total: total)
                }
                try sink.checkOpen()
            }
        }
    }
}

extension ovl_methods {
    /// Sets the slot for a folder of the user if `type` implements it.
    mutating func fillSourceSlots(_ type: any Overlay.Type) {
        guard type is any SyncsSource.Type else { return }
        sync_source = { instance, options, plan, results, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let wanted = try SourceSyncOptions(ovl_sync_options.copy(required: options))
                let rows = try ForeignPlanSink(plan)
                let outcomes = try ForeignResultSink(results)
                try Instance.capability(instance.syncsSource).syncSource(wanted) {
                    (row) throws(OverlayError) in
                    try rows.put(row)
                } report: { (row) throws(OverlayError) in
                    try outcomes.put(row)
                }
                try rows.checkOpen()
                try outcomes.checkOpen()
            }
        }
    }
}
