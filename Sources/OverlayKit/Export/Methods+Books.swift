import OverlayABI

extension ovl_methods {
    /// Fills the slots about books on the device that `type` implements.
    mutating func fillBookSlots(_ type: any Overlay.Type) {
        if type is any ListsBooks.Type { fillBooks() }
        if type is any UploadsBooks.Type { fillUploadBooks() }
        if type is any DeletesBooks.Type { fillDeleteBooks() }
        if type is any FetchesBooks.Type { fillGetFile() }
        if type is any PreparesAddableBooks.Type { fillPrepareAddableBooks() }
    }

    private mutating func fillBooks() {
        books = { instance, options, books, error in
            Instance.run(instance, error) { (instance) throws(OverlayError) in
                let wanted = BooksOptions(try ovl_books_options.copy(required: options))
                let sink = try ForeignBookSink(books)
                try Instance.capability(instance.listsBooks).books(wanted) { (book) throws(OverlayError) in
                    try sink.put(book)
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
