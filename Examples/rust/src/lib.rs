//! An overlay for Satchel, an invented reader app that keeps its books as plain files in its shared folder. It lists,
//! fetches, adds and deletes books.
//!
//! Start reading at the end, with the one exported function; `abi.rs` declares the part of the contract that is used
//! here. The manual is docs/abi.md of OverlayHost.

mod abi;

use abi::*;
use std::ffi::c_void;
use std::mem::size_of;

const SHELF: &str = "/Documents";
const FORMATS: [(&str, &str); 2] = [(".epub", "application/epub+zip"), (".pdf", "application/pdf")];

/// Extension and media type of a file by its name; `None` if the file is not a book.
fn format_of(name: &str) -> Option<(&'static str, &'static str)> {
    FORMATS.into_iter().find(|(ending, _)| name.len() > ending.len() && name.ends_with(ending))
}

/// The path of a new book: its title, without characters that are special in paths.
fn path_of(book: &Book, ending: &str) -> String {
    let (title, uuid) = unsafe { (book.title.as_str(), book.uuid.as_str()) };
    let mut name: String = (if title.is_empty() { uuid } else { title })
        .chars()
        .map(|c| if c.is_control() || "/:\\".contains(c) { '-' } else { c })
        .collect();
    while name.len() > 200 {
        name.pop();
    }
    if name.starts_with('.') {
        name.replace_range(..1, "-");
    }
    format!("{SHELF}/{name}{ending}")
}

// ---- errors and sinks ------------------------------------------------------------------------------------------------

/// Why a call failed.
struct Failure {
    status: Status,
    message: String,
    hint: String,
    domain: i32,
    native_code: i64,
    flags: u32,
}

impl Failure {
    fn new(status: Status, message: &str) -> Failure {
        Failure { status, message: message.into(), hint: String::new(), domain: 0, native_code: 0, flags: 0 }
    }

    /// # Safety
    /// `error` must be valid or null.
    unsafe fn of(status: Status, error: *const Error) -> Failure {
        let Some(error) = error.as_ref() else { return Failure::new(status, "The host did not say why.") };
        Failure {
            status,
            message: error.message.as_str().into(),
            hint: error.hint.as_str().into(),
            domain: error.domain,
            native_code: error.native_code,
            flags: error.flags,
        }
    }

    /// Whether the error ends the whole method, not just one item.
    fn is_final(&self) -> bool {
        matches!(self.status, CANCELLED | TIMED_OUT | DEVICE_GONE)
    }

    fn hint(&self) -> Text {
        if self.hint.is_empty() { Text::ABSENT } else { Text::new(&self.hint) }
    }
}

type Answer<T> = Result<T, Failure>;

/// Calls a function of a service and returns the error that it reports.
fn perform(call: impl FnOnce(*const ErrorSink) -> Status) -> Answer<()> {
    unsafe extern "C" fn put(ctx: *mut c_void, error: *const Error) {
        let failure = &mut *(ctx as *mut Option<Failure>);
        *failure = Some(Failure::of((*error).status, error));
    }
    let mut failure: Option<Failure> = None;
    let sink = ErrorSink::new(&mut failure as *mut _ as *mut c_void, put);
    match call(&sink) {
        OK => Ok(()),
        status => Err(failure.unwrap_or_else(|| Failure::new(status, "The host did not say why."))),
    }
}

/// Runs the body of a method and reports its failure to the host.
fn guarded(sink: *const ErrorSink, body: impl FnOnce() -> Answer<()>) -> Status {
    let Err(failure) = body() else { return OK };
    let error = Error {
        struct_size: size_of::<Error>() as u32,
        flags: failure.flags,
        status: failure.status,
        domain: failure.domain,
        native_code: failure.native_code,
        message: Text::new(&failure.message),
        subject: Text::ABSENT,
        hint: failure.hint(),
    };
    unsafe {
        if let Some(put) = (*sink).put {
            put((*sink).ctx, &error);
        }
    }
    failure.status
}

/// Puts a row into a sink of the host, which may want no more rows.
fn put<Row>(
    sink: *const Sink<unsafe extern "C" fn(*mut c_void, *const Row) -> Status>, row: &Row,
) -> Answer<()> {
    unsafe {
        let put = (*sink).put.ok_or_else(|| Failure::new(FAILED, "A sink has no function."))?;
        match put((*sink).ctx, row) {
            OK => Ok(()),
            status => Err(Failure::new(status, "The host wants no more.")),
        }
    }
}

/// Passes the rows of a service to a closure. An error of the closure ends the service's call.
struct Files<'a> {
    each: &'a mut dyn FnMut(Status, *const FileInfo, *const Error) -> Answer<()>,
    failure: Option<Failure>,
}

fn with_files(
    each: &mut dyn FnMut(Status, *const FileInfo, *const Error) -> Answer<()>,
    call: impl FnOnce(*const FileSink, *const ErrorSink) -> Status,
) -> Answer<()> {
    unsafe extern "C" fn put(
        ctx: *mut c_void, _index: u64, status: Status, info: *const FileInfo, error: *const Error,
    ) -> Status {
        let files = &mut *(ctx as *mut Files);
        match (files.each)(status, info, error) {
            Ok(()) => OK,
            Err(failure) => {
                files.failure = Some(failure);
                STOPPED
            }
        }
    }
    let mut files = Files { each, failure: None };
    let sink = FileSink::new(&mut files as *mut _ as *mut c_void, put);
    let answer = perform(|error| call(&sink, error));
    files.failure.map_or(answer, Err)
}

fn missing() -> Failure {
    Failure::new(NOT_SUPPORTED, "This host does not have the function.")
}

// ---- the overlay -----------------------------------------------------------------------------------------------------

/// The state between calls. It is not static, because a host may make several instances.
pub struct Overlay {
    transport: *const Transport,
}

impl Overlay {
    fn transport(&self) -> &Transport {
        // Safety: the table is valid until `destroy` returns.
        unsafe { &*self.transport }
    }

    fn books(&self, options: &BooksOptions, books: *const BookSink) -> Answer<()> {
        if options.volume != VOLUME_MAIN {
            return Ok(());
        }
        let transport = self.transport();
        let list = transport.list.ok_or_else(missing)?;
        let shelf = Text::new(SHELF);
        let mut each = |status, info: *const FileInfo, _error| {
            // Skip a file that was removed during the listing.
            let Some(info) = (unsafe { info.as_ref() }) else { return Ok(()) };
            let name = unsafe { info.name.as_str() };
            let (OK, FILE_REGULAR, Some((ending, media_type))) = (status, info.kind, format_of(name)) else {
                return Ok(());
            };
            let path = format!("{SHELF}/{name}");
            // Safety: a book may be all zero, which means that every field is absent.
            let mut book: Book = unsafe { std::mem::zeroed() };
            book.struct_size = size_of::<Book>() as u32;
            book.flags = BOOK_HAS_SIZE;
            book.path = Text::new(&path);
            book.title = Text::new(&name[..name.len() - ending.len()]);
            book.size = info.size;
            book.format = Text::new(media_type);
            put(books, &book)
        };
        with_files(&mut each, |files, error| unsafe {
            list(transport.ctx, ROOT_DOCUMENTS, &shelf, LIST_WITH_INFO, files, error)
        })
    }

    /// The path is one that `books` reported. The bytes go from the device directly into the host's sink.
    fn get_file(&self, path: *const Text, bytes: *const BytesSink) -> Answer<()> {
        let transport = self.transport();
        let read = transport.read.ok_or_else(missing)?;
        perform(|error| unsafe { read(transport.ctx, ROOT_DOCUMENTS, path, 0, UNKNOWN, bytes, error) })
    }

    fn upload_books(&self, items: &List, options: &UploadOptions, results: *const ResultSink) -> Answer<()> {
        rows(items.count, results, |index, path| {
            // A newer host's record may be longer than ours, so use the stride of the list.
            let item = unsafe { &*(items.items.add((index * items.stride) as usize) as *const UploadItem) };
            let (ending, _) = format_of(unsafe { item.name.as_str() })
                .ok_or_else(|| Failure::new(UNSUPPORTED_FORMAT, "Satchel reads EPUB and PDF only."))?;
            *path = path_of(&item.book, ending);
            let is_there = self.exists(path)?;
            if is_there && options.on_conflict != CONFLICT_REPLACE {
                return Ok((OUTCOME_SKIPPED, "A book with this title already exists."));
            }
            self.push(item.file, path)?;
            Ok((if is_there { OUTCOME_REPLACED } else { OUTCOME_ADDED }, ""))
        })
    }

    fn delete_books(&self, paths: &Texts, results: *const ResultSink) -> Answer<()> {
        let transport = self.transport();
        let remove = transport.remove.ok_or_else(missing)?;
        rows(paths.count, results, |index, _| {
            perform(|error| unsafe {
                remove(transport.ctx, ROOT_DOCUMENTS, paths.items.add(index as usize), 0, error)
            })?;
            Ok((OUTCOME_DELETED, ""))
        })
    }

    fn exists(&self, path: &str) -> Answer<bool> {
        let transport = self.transport();
        let stat = transport.stat.ok_or_else(missing)?;
        let path = Text::new(path);
        let paths = Texts { items: &path, count: 1 };
        let mut found = false;
        let mut each = |status, _info, error| match status {
            OK => {
                found = true;
                Ok(())
            }
            NOT_FOUND => Ok(()),
            _ => Err(unsafe { Failure::of(status, error) }),
        };
        with_files(&mut each, |files, error| unsafe {
            stat(transport.ctx, ROOT_DOCUMENTS, &paths, files, error)
        })?;
        Ok(found)
    }

    /// The host copies to a temporary name, verifies, and renames, so an older file stays until the new one is
    /// complete.
    fn push(&self, file: u64, path: &str) -> Answer<()> {
        unsafe extern "C" fn put(ctx: *mut c_void, result: *const ItemResult) -> Status {
            let result = &*result;
            if result.status != OK {
                let mut failure = Failure::new(result.status, result.message.as_str());
                failure.hint = result.hint.as_str().into();
                (failure.domain, failure.native_code, failure.flags) =
                    (result.domain, result.native_code, result.flags);
                *(ctx as *mut Option<Failure>) = Some(failure);
            }
            OK
        }
        let transport = self.transport();
        let push = transport.push.ok_or_else(missing)?;
        let size = size_of::<PushItem>();
        let item = PushItem { struct_size: size as u32, flags: 0, file, path: Text::new(path) };
        let items = List { items: &item as *const _ as *const c_void, count: 1, stride: size as u64 };
        let mut failure: Option<Failure> = None;
        let sink = ResultSink::new(&mut failure as *mut _ as *mut c_void, put);
        perform(|error| unsafe { push(transport.ctx, ROOT_DOCUMENTS, &items, 0, &sink, error) })?;
        failure.map_or(Ok(()), Err)
    }
}

/// Processes each item and reports one row for it, even if it fails. `body` returns the outcome and a remark, and may
/// set the path of the book.
fn rows(
    count: u64, results: *const ResultSink,
    mut body: impl FnMut(u64, &mut String) -> Answer<(u32, &'static str)>,
) -> Answer<()> {
    let mut end = Ok(());
    for index in 0..count {
        let mut path = String::new();
        let done = body(index, &mut path);
        // Safety: a row may be all zero, which means that every field is absent.
        let mut row: ItemResult = unsafe { std::mem::zeroed() };
        row.struct_size = size_of::<ItemResult>() as u32;
        row.index = index;
        match &done {
            Ok((outcome, remark)) => {
                row.outcome = *outcome;
                row.path = if path.is_empty() { Text::ABSENT } else { Text::new(&path) };
                row.message = if remark.is_empty() { Text::ABSENT } else { Text::new(remark) };
            }
            Err(failure) => {
                row.outcome = OUTCOME_FAILED;
                row.status = failure.status;
                row.message = Text::new(&failure.message);
                row.hint = failure.hint();
                (row.domain, row.native_code, row.flags) =
                    (failure.domain, failure.native_code, failure.flags & 1);
            }
        }
        put(results, &row)?;
        if let Err(failure) = done {
            if failure.is_final() {
                end = Err(failure);
            }
        }
    }
    end
}

// ---- the contract ----------------------------------------------------------------------------------------------------

unsafe extern "C" fn create(host: *const Host, instance: *mut *mut Instance, error: *const ErrorSink) -> Status {
    guarded(error, || {
        let id = Text::new(SERVICE_TRANSPORT);
        // `Transport` ends with the last function that is used, so that older hosts work as well.
        let table = (*host)
            .get_service
            .map_or(std::ptr::null(), |get| get((*host).ctx, &id, size_of::<Transport>() as u32));
        if table.is_null() {
            return Err(Failure::new(NOT_SUPPORTED, "This host has no way to the device's files."));
        }
        *instance = Box::into_raw(Box::new(Overlay { transport: table as *const Transport }));
        Ok(())
    })
}

unsafe extern "C" fn destroy(instance: *mut Instance) {
    drop(Box::from_raw(instance));
}

unsafe extern "C" fn books(
    instance: *mut Instance, options: *const BooksOptions, books: *const BookSink, error: *const ErrorSink,
) -> Status {
    guarded(error, || (*instance).books(&*options, books))
}

unsafe extern "C" fn upload_books(
    instance: *mut Instance, items: *const List, options: *const UploadOptions, results: *const ResultSink,
    error: *const ErrorSink,
) -> Status {
    guarded(error, || (*instance).upload_books(&*items, &*options, results))
}

unsafe extern "C" fn delete_books(
    instance: *mut Instance, paths: *const Texts, results: *const ResultSink, error: *const ErrorSink,
) -> Status {
    guarded(error, || (*instance).delete_books(&*paths, results))
}

unsafe extern "C" fn get_file(
    instance: *mut Instance, path: *const Text, bytes: *const BytesSink, error: *const ErrorSink,
) -> Status {
    guarded(error, || (*instance).get_file(path, bytes))
}

static APP_IDS: [Text; 1] = [Text::new("org.example.satchel")];
static EXTENSIONS: [Text; 2] = [Text::new("epub"), Text::new("pdf")];

static DESCRIPTOR: Descriptor = Descriptor {
    struct_size: size_of::<Descriptor>() as u32,
    flags: TRAIT_CAN_FETCH,
    id: Text::new("satchel"),
    name: Text::new("Satchel"),
    version: Text::new(env!("CARGO_PKG_VERSION")),
    summary: Text::new("Lists, fetches, adds and deletes the books of Satchel."),
    app_name: Text::new("Satchel"),
    app_ids: Texts { items: APP_IDS.as_ptr(), count: APP_IDS.len() as u64 },
    formats: Texts { items: EXTENSIONS.as_ptr(), count: EXTENSIONS.len() as u64 },
    settable_metadata: Texts { items: std::ptr::null(), count: 0 },
    plugboard_name: Text::ABSENT,
    thumbnail_height: 0,
    reserved: 0,
    options: List { items: std::ptr::null(), count: 0, stride: 0 },
    help: Text::ABSENT,
};

static METHODS: Methods = Methods {
    struct_size: size_of::<Methods>() as u32,
    flags: 0,
    initialize: None,
    shutdown: None,
    is_usb_connected: None,
    is_usb_connected_windows: None,
    can_handle: None,
    can_handle_windows: None,
    books: Some(books),
    upload_books: Some(upload_books),
    add_books_to_metadata: None,
    delete_books: Some(delete_books),
    remove_books_from_metadata: None,
    sync_booklists: None,
    get_file: Some(get_file),
    prepare_addable_books: None,
    eject: None,
    post_yank_cleanup: None,
};

static ENTRY: Entry = Entry {
    struct_size: size_of::<Entry>() as u32,
    flags: 0,
    abi_major: 1,
    abi_minor: 0,
    descriptor: &DESCRIPTOR,
    methods: &METHODS,
    create: Some(create),
    destroy: Some(destroy),
};

/// The one exported symbol of an overlay: its entry record, which is constant and always valid.
#[no_mangle]
pub extern "C" fn ovl_entry_v1() -> *const Entry {
    &ENTRY
}
