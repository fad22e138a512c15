// An overlay in C++17 for Satchel, an invented reader app that keeps its books as plain files in its shared folder.
// It lists, fetches, adds and deletes books.
//
// Start reading at the end, with the one exported function. The headers describe each record, function and status;
// the manual is docs/abi.md of OverlayHost. An exception must not leave a function of the contract; see `guarded`.
#include "overlay_abi.h"

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr ovl_text text(std::string_view view) { return {view.data(), view.size()}; }
constexpr std::string_view view(const ovl_text &text) { return text.data ? std::string_view(text.data, text.size) : ""; }

// A record of the contract with its size set and everything else zero.
template <typename Record> Record sized() {
    Record record{};
    record.struct_size = sizeof record;
    return record;
}

// ---- errors and sinks -------------------------------------------------------------------------------------------

// An error within this file. At the boundary it becomes an ovl_error.
struct Failure {
    ovl_status status = OVL_FAILED;
    std::string message, subject, hint;
    int32_t domain = OVL_DOMAIN_NONE;
    int64_t native = 0;
    uint32_t flags = 0;

    // Whether the error ends the whole method, not just one item.
    bool isFinal() const { return status == OVL_CANCELLED || status == OVL_TIMED_OUT || status == OVL_DEVICE_GONE; }
};

// Calls a function of a service with an error sink, and throws the error that it reports.
template <typename Call> void perform(Call call) {
    Failure failure;
    auto sink = sized<ovl_error_sink>();
    sink.ctx = &failure;
    sink.put = [](void *ctx, const ovl_error *error) {
        *static_cast<Failure *>(ctx) = {error->status, std::string(view(error->message)),
                                        std::string(view(error->subject)), std::string(view(error->hint)),
                                        error->domain, error->native_code, error->flags};
    };
    failure.status = call(&sink);
    if (failure.status != OVL_OK) throw failure;
}

// Runs the body of a method, and reports what it throws to the host.
template <typename Body> ovl_status guarded(const ovl_error_sink *sink, Body body) noexcept {
    Failure failure;
    try {
        body();
        return OVL_OK;
    } catch (const Failure &thrown) {
        failure = thrown;
    } catch (const std::exception &thrown) {
        failure.message = thrown.what();
    }
    auto error = sized<ovl_error>();
    error.flags = failure.flags;
    error.status = failure.status;
    error.domain = failure.domain;
    error.native_code = failure.native;
    error.message = text(failure.message);
    if (!failure.subject.empty()) error.subject = text(failure.subject);
    if (!failure.hint.empty()) error.hint = text(failure.hint);
    if (sink->put) sink->put(sink->ctx, &error);
    return failure.status;
}

// Puts a row into a sink of the host, which may want no more rows.
template <typename Sink, typename Row> void put(const Sink &sink, const Row &row) {
    if (const auto status = sink.put(sink.ctx, &row); status != OVL_OK) throw Failure{status, "The host stopped.", {}, {}};
}

// A sink that calls a lambda. An exception of the lambda must not pass through the service: it is kept, the service
// is stopped, and `perform` throws it again.
template <typename Sink, typename Body> class Receiver {
public:
    explicit Receiver(Body body) : body_(body), sink_(sized<Sink>()) {
        sink_.ctx = this;
        sink_.put = [](void *ctx, auto... row) -> ovl_status {
            auto *self = static_cast<Receiver *>(ctx);
            try {
                self->body_(row...);
                return OVL_OK;
            } catch (...) {
                self->thrown_ = std::current_exception();
                return OVL_STOPPED;
            }
        };
    }
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;

    // Calls a function of a service with this sink.
    template <typename Call> void perform(Call call) {
        ::perform([&](const ovl_error_sink *error) {
            const auto status = call(&sink_, error);
            if (thrown_) std::rethrow_exception(thrown_);
            return status;
        });
    }

private:
    Body body_;
    Sink sink_;
    std::exception_ptr thrown_;
};

template <typename Sink, typename Body> Receiver<Sink, Body> receiver(Body body) { return Receiver<Sink, Body>(body); }

// ---- the app ----------------------------------------------------------------------------------------------------

constexpr std::string_view shelf = "/Documents";

struct Format {
    std::string_view ending, mediaType;
};

constexpr std::array formats = {Format{".epub", "application/epub+zip"}, Format{".pdf", "application/pdf"}};

// The format of a file by its name; null if the file is not a book.
const Format *formatOf(std::string_view name) {
    for (const auto &format : formats) {
        if (name.size() > format.ending.size() && name.substr(name.size() - format.ending.size()) == format.ending)
            return &format;
    }
    return nullptr;
}

// The path of a new book: its title, without characters that are special in paths, and the extension of the host's
// file.
std::string pathOf(const ovl_book &book, const Format &format) {
    auto title = std::string(view(book.title.size > 0 ? book.title : book.uuid));
    if (title.size() > 200) {
        std::size_t end = 200;
        while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xC0) == 0x80) end--;
        title.resize(end);
    }
    for (char &c : title) {
        if (static_cast<unsigned char>(c) < ' ' || c == '/' || c == ':' || c == '\\') c = '-';
    }
    if (!title.empty() && title[0] == '.') title[0] = '-';
    return std::string(shelf) + "/" + title + std::string(format.ending);
}

} // namespace

// The state between calls. It is not global, because a host may make several instances.
struct ovl_instance {
    const ovl_transport_service *transport;

    void books(const ovl_books_options &options, const ovl_book_sink &books) {
        if (options.volume != OVL_VOLUME_MAIN) return;
        const auto folder = text(shelf);
        auto files = receiver<ovl_file_sink>(
            [&](uint64_t, ovl_status status, const ovl_file_info *info, const ovl_error *) {
                // Skip a file that was removed during the listing.
                if (status != OVL_OK || info->kind != OVL_FILE_REGULAR) return;
                const auto name = view(info->name);
                const auto *format = formatOf(name);
                if (!format) return;
                const auto path = std::string(shelf) + "/" + std::string(name);
                auto book = sized<ovl_book>();
                book.flags = OVL_BOOK_HAS_SIZE;
                book.path = text(path);
                book.title = text(name.substr(0, name.size() - format->ending.size()));
                book.size = info->size;
                book.format = text(format->mediaType);
                put(books, book);
            });
        files.perform([&](const auto *sink, const auto *error) {
            return transport->list(transport->ctx, OVL_ROOT_DOCUMENTS, &folder, OVL_LIST_WITH_INFO, sink, error);
        });
    }

    // The path is one that `books` reported. The bytes go from the device directly into the host's sink.
    void getFile(const ovl_text &path, const ovl_bytes_sink &bytes) {
        perform([&](const auto *error) {
            return transport->read(transport->ctx, OVL_ROOT_DOCUMENTS, &path, 0, OVL_UNKNOWN, &bytes, error);
        });
    }

    void upload(const ovl_list &items, const ovl_upload_options &options, const ovl_result_sink &results) {
        rows(items.count, results, [&](uint64_t i, ovl_item_result &row, std::string &path) {
            // A newer host's record may be longer than ours, so use the stride of the list.
            const void *raw = static_cast<const char *>(items.items) + i * items.stride;
            const auto &item = *static_cast<const ovl_upload_item *>(raw);
            const auto *format = formatOf(view(item.name));
            if (!format) throw Failure{OVL_UNSUPPORTED_FORMAT, "Satchel reads EPUB and PDF only.", {}, {}};
            path = pathOf(item.book, *format);
            const bool isThere = exists(path);
            if (isThere && options.on_conflict != OVL_CONFLICT_REPLACE) {
                row.outcome = OVL_OUTCOME_SKIPPED;
                row.message = text("A book with this title already exists.");
                return;
            }
            push(item.file, path);
            row.outcome = isThere ? OVL_OUTCOME_REPLACED : OVL_OUTCOME_ADDED;
        });
    }

    void remove(const ovl_texts &paths, const ovl_result_sink &results) {
        rows(paths.count, results, [&](uint64_t i, ovl_item_result &row, std::string &) {
            perform([&](const auto *error) {
                return transport->remove(transport->ctx, OVL_ROOT_DOCUMENTS, &paths.items[i], 0, error);
            });
            row.outcome = OVL_OUTCOME_DELETED;
        });
    }

private:
    // Processes each item and reports one row for it, even if it fails.
    template <typename Body> static void rows(uint64_t count, const ovl_result_sink &results, Body body) {
        Failure end{OVL_OK, {}, {}, {}};
        for (uint64_t i = 0; i < count; i++) {
            auto row = sized<ovl_item_result>();
            row.index = i;
            std::string path;
            Failure failure;
            try {
                body(i, row, path);
                if (!path.empty()) row.path = text(path);
            } catch (const Failure &thrown) {
                failure = thrown;
                row.outcome = OVL_OUTCOME_FAILED;
                row.status = failure.status;
                row.message = text(failure.message);
                if (!failure.hint.empty()) row.hint = text(failure.hint);
                row.domain = failure.domain;
                row.native_code = failure.native;
                row.flags = failure.flags & OVL_ERROR_RETRYABLE;
                if (failure.isFinal()) end = failure;
            }
            put(results, row);
        }
        if (end.status != OVL_OK) throw end;
    }

    bool exists(const std::string &path) {
        const auto name = text(path);
        const ovl_texts paths = {&name, 1};
        bool found = false;
        auto files = receiver<ovl_file_sink>(
            [&](uint64_t, ovl_status status, const ovl_file_info *, const ovl_error *error) {
                found = status == OVL_OK;
                if (found || status == OVL_NOT_FOUND) return;
                throw Failure{status, std::string(view(error->message)), {}, std::string(view(error->hint))};
            });
        files.perform([&](const auto *sink, const auto *error) {
            return transport->stat(transport->ctx, OVL_ROOT_DOCUMENTS, &paths, sink, error);
        });
        return found;
    }

    // The host copies to a temporary name, verifies, and renames, so an older file stays until the new one is
    // complete.
    void push(ovl_file_id file, const std::string &path) {
        auto item = sized<ovl_push_item>();
        item.file = file;
        item.path = text(path);
        const ovl_list list = {&item, 1, sizeof item};
        auto results = receiver<ovl_result_sink>([](const ovl_item_result *result) {
            if (result->status == OVL_OK) return;
            throw Failure{result->status, std::string(view(result->message)), {}, std::string(view(result->hint)),
                          result->domain, result->native_code, result->flags};
        });
        results.perform([&](const auto *sink, const auto *error) {
            return transport->push(transport->ctx, OVL_ROOT_DOCUMENTS, &list, 0, sink, error);
        });
    }
};

// ---- life and description ---------------------------------------------------------------------------------------

namespace {

ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
    return guarded(error, [&] {
        // An overlay that asks only for the functions that it uses works in older hosts.
        const auto size = offsetof(ovl_transport_service, remove) + sizeof(ovl_transport_service::remove);
        const auto id = text(OVL_SERVICE_TRANSPORT);
        const void *table = host->get_service(host->ctx, &id, static_cast<uint32_t>(size));
        if (!table) throw Failure{OVL_NOT_SUPPORTED, "This host has no way to the device's files.", {}, {}};
        *instance = new ovl_instance{static_cast<const ovl_transport_service *>(table)};
    });
}

void destroy(ovl_instance *instance) { delete instance; }

// A function that is left out is a null pointer, and the host does not call it.
const ovl_methods &methods() {
    static const ovl_methods table = [] {
        auto table = sized<ovl_methods>();
        table.books = [](ovl_instance *self, const ovl_books_options *options, const ovl_book_sink *books,
                         const ovl_error_sink *error) { return guarded(error, [&] { self->books(*options, *books); }); };
        table.upload_books = [](ovl_instance *self, const ovl_list *items, const ovl_upload_options *options,
                                const ovl_result_sink *results, const ovl_error_sink *error) {
            return guarded(error, [&] { self->upload(*items, *options, *results); });
        };
        table.delete_books = [](ovl_instance *self, const ovl_texts *paths, const ovl_result_sink *results,
                                const ovl_error_sink *error) { return guarded(error, [&] { self->remove(*paths, *results); }); };
        table.get_file = [](ovl_instance *self, const ovl_text *path, const ovl_bytes_sink *bytes,
                            const ovl_error_sink *error) { return guarded(error, [&] { self->getFile(*path, *bytes); }); };
        return table;
    }();
    return table;
}

const ovl_descriptor &descriptor() {
    static const std::array<ovl_text, 1> apps = {text("org.example.satchel")};
    static const std::array<ovl_text, 2> extensions = {text("epub"), text("pdf")};
    static const ovl_descriptor record = [] {
        auto record = sized<ovl_descriptor>();
        record.flags = OVL_TRAIT_CAN_FETCH;
        record.id = text("satchel");
        record.name = text("Satchel");
        record.version = text("0.1.0");
        record.summary = text("Lists, fetches, adds and deletes the books of Satchel.");
        record.app_name = text("Satchel");
        record.app_ids = {apps.data(), apps.size()};
        record.formats = {extensions.data(), extensions.size()};
        return record;
    }();
    return record;
}

} // namespace

const ovl_entry *ovl_entry_v1() {
    static const ovl_entry entry = [] {
        auto entry = sized<ovl_entry>();
        entry.abi_major = OVL_ABI_MAJOR;
        entry.abi_minor = OVL_ABI_MINOR;
        entry.descriptor = &descriptor();
        entry.methods = &methods();
        entry.create = create;
        entry.destroy = destroy;
        return entry;
    }();
    return &entry;
}
