//! The part of the contract (version 1) that this overlay uses, as declared in the headers of OverlayHost.
//!
//! Records and tables of the host may be longer. The assertions at the end hold the layout that version 1 froze.
#![allow(dead_code)]

use std::ffi::c_void;

/// Result of every call. An open set: an unknown value means `FAILED`.
pub type Status = i32;
pub const OK: Status = 0;
pub const FAILED: Status = 1;
pub const CANCELLED: Status = 2;
pub const TIMED_OUT: Status = 3;
pub const DEVICE_GONE: Status = 4;
pub const NOT_SUPPORTED: Status = 5;
pub const NOT_FOUND: Status = 7;
pub const UNSUPPORTED_FORMAT: Status = 16;
pub const STOPPED: Status = 23;

pub const UNKNOWN: u64 = u64::MAX;
pub const TRAIT_CAN_FETCH: u32 = 1;
pub const BOOK_HAS_SIZE: u32 = 8;
pub const VOLUME_MAIN: u32 = 0;
pub const CONFLICT_REPLACE: u32 = 2;
pub const OUTCOME_FAILED: u32 = 0;
pub const OUTCOME_ADDED: u32 = 1;
pub const OUTCOME_REPLACED: u32 = 3;
pub const OUTCOME_SKIPPED: u32 = 4;
pub const OUTCOME_DELETED: u32 = 5;
pub const ROOT_DOCUMENTS: u32 = 2;
pub const LIST_WITH_INFO: u32 = 1;
pub const FILE_REGULAR: u32 = 1;
pub const SERVICE_TRANSPORT: &str = "org.overlayhost.transport/1";

/// Borrowed UTF-8. A null pointer: absent.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const u8,
    pub size: u64,
}

impl Text {
    pub const ABSENT: Text = Text { data: std::ptr::null(), size: 0 };

    pub const fn new(text: &str) -> Text {
        Text { data: text.as_ptr(), size: text.len() as u64 }
    }

    /// The text; empty when it is absent or no UTF-8.
    ///
    /// # Safety
    /// The view must be valid, which it is until the call that passed it returns.
    pub unsafe fn as_str<'a>(&self) -> &'a str {
        if self.data.is_null() {
            return "";
        }
        std::str::from_utf8(std::slice::from_raw_parts(self.data, self.size as usize)).unwrap_or("")
    }
}

/// Borrowed bytes.
pub type Bytes = Text;

/// Borrowed array of texts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Texts {
    pub items: *const Text,
    pub count: u64,
}

/// Borrowed array of records: element i begins `i * stride` bytes after `items`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct List {
    pub items: *const c_void,
    pub count: u64,
    pub stride: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Error {
    pub struct_size: u32,
    pub flags: u32,
    pub status: Status,
    pub domain: i32,
    pub native_code: i64,
    pub message: Text,
    pub subject: Text,
    pub hint: Text,
}

/// A sink: its `put` gets `ctx` first, then what `Put` says.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sink<Put> {
    pub struct_size: u32,
    pub flags: u32,
    pub ctx: *mut c_void,
    pub put: Option<Put>,
}

impl<Put> Sink<Put> {
    pub fn new(ctx: *mut c_void, put: Put) -> Sink<Put> {
        Sink { struct_size: std::mem::size_of::<Sink<Put>>() as u32, flags: 0, ctx, put: Some(put) }
    }
}

pub type ErrorSink = Sink<unsafe extern "C" fn(*mut c_void, *const Error)>;
pub type BytesSink = Sink<unsafe extern "C" fn(*mut c_void, *const Bytes, u64, u64) -> Status>;
pub type BookSink = Sink<unsafe extern "C" fn(*mut c_void, *const Book) -> Status>;
pub type ResultSink = Sink<unsafe extern "C" fn(*mut c_void, *const ItemResult) -> Status>;
pub type FileSink =
    Sink<unsafe extern "C" fn(*mut c_void, u64, Status, *const FileInfo, *const Error) -> Status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Book {
    pub struct_size: u32,
    pub flags: u32,
    pub path: Text,
    pub uuid: Text,
    pub title: Text,
    pub title_sort: Text,
    pub authors: Texts,
    pub author_sort: Text,
    pub series: Text,
    pub series_index: f64,
    pub publisher: Text,
    pub pubdate: Text,
    pub date_added: i64,
    pub description: Text,
    pub tags: Texts,
    pub collections: Texts,
    pub rating: f64,
    pub size: u64,
    pub format: Text,
    pub cover_media_type: Text,
    pub cover_size: u64,
    pub cover: Bytes,
}

#[repr(C)]
pub struct BooksOptions {
    pub struct_size: u32,
    pub flags: u32,
    pub volume: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct UploadItem {
    pub struct_size: u32,
    pub flags: u32,
    pub file: u64,
    pub name: Text,
    pub reserved: [u64; 4],
    pub book: Book,
}

#[repr(C)]
pub struct UploadOptions {
    pub struct_size: u32,
    pub flags: u32,
    pub volume: u32,
    pub on_conflict: u32,
    pub collections: Texts,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ItemResult {
    pub struct_size: u32,
    pub flags: u32,
    pub index: u64,
    pub status: Status,
    pub outcome: u32,
    pub path: Text,
    pub message: Text,
    pub hint: Text,
    pub file: u64,
    pub domain: i32,
    pub reserved: u32,
    pub native_code: i64,
}

#[repr(C)]
pub struct FileInfo {
    pub struct_size: u32,
    pub flags: u32,
    pub name: Text,
    pub kind: u32,
    pub reserved: u32,
    pub size: u64,
    pub modified: i64,
    pub created: i64,
}

#[repr(C)]
pub struct PushItem {
    pub struct_size: u32,
    pub flags: u32,
    pub file: u64,
    pub path: Text,
}

/// A function of a table that this overlay does not use.
pub type Unused = Option<unsafe extern "C" fn()>;

/// The device's files, up to the last function that is used. A function that the host lacks is `None`.
#[repr(C)]
pub struct Transport {
    pub struct_size: u32,
    pub flags: u32,
    pub ctx: *mut c_void,
    pub device: Unused,
    pub roots: Unused,
    pub list: Option<
        unsafe extern "C" fn(*mut c_void, u32, *const Text, u32, *const FileSink, *const ErrorSink) -> Status,
    >,
    pub stat: Option<
        unsafe extern "C" fn(*mut c_void, u32, *const Texts, *const FileSink, *const ErrorSink) -> Status,
    >,
    pub read: Option<
        unsafe extern "C" fn(
            *mut c_void, u32, *const Text, u64, u64, *const BytesSink, *const ErrorSink,
        ) -> Status,
    >,
    pub read_many: Unused,
    pub write: Unused,
    pub push: Option<
        unsafe extern "C" fn(*mut c_void, u32, *const List, u32, *const ResultSink, *const ErrorSink) -> Status,
    >,
    pub pull: Unused,
    pub rename: Unused,
    pub remove: Option<unsafe extern "C" fn(*mut c_void, u32, *const Text, u32, *const ErrorSink) -> Status>,
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub flags: u32,
    pub ctx: *mut c_void,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub name: Text,
    pub version: Text,
    pub get_service: Option<unsafe extern "C" fn(*mut c_void, *const Text, u32) -> *const c_void>,
}

#[repr(C)]
pub struct Descriptor {
    pub struct_size: u32,
    pub flags: u32,
    pub id: Text,
    pub name: Text,
    pub version: Text,
    pub summary: Text,
    pub app_name: Text,
    pub app_ids: Texts,
    pub formats: Texts,
    pub settable_metadata: Texts,
    pub plugboard_name: Text,
    pub thumbnail_height: u32,
    pub reserved: u32,
    pub options: List,
    pub help: Text,
}

/// The state between calls; opaque to the host.
pub type Instance = crate::Overlay;

/// The methods, in the order of the contract. `None`: not implemented.
#[repr(C)]
pub struct Methods {
    pub struct_size: u32,
    pub flags: u32,
    pub initialize: Unused,
    pub shutdown: Unused,
    pub is_usb_connected: Unused,
    pub is_usb_connected_windows: Unused,
    pub can_handle: Unused,
    pub can_handle_windows: Unused,
    pub books: Option<
        unsafe extern "C" fn(*mut Instance, *const BooksOptions, *const BookSink, *const ErrorSink) -> Status,
    >,
    pub upload_books: Option<
        unsafe extern "C" fn(
            *mut Instance, *const List, *const UploadOptions, *const ResultSink, *const ErrorSink,
        ) -> Status,
    >,
    pub add_books_to_metadata: Unused,
    pub delete_books: Option<
        unsafe extern "C" fn(*mut Instance, *const Texts, *const ResultSink, *const ErrorSink) -> Status,
    >,
    pub remove_books_from_metadata: Unused,
    pub sync_booklists: Unused,
    pub get_file: Option<
        unsafe extern "C" fn(*mut Instance, *const Text, *const BytesSink, *const ErrorSink) -> Status,
    >,
    pub prepare_addable_books: Unused,
    pub eject: Unused,
    pub post_yank_cleanup: Unused,
}

#[repr(C)]
pub struct Entry {
    pub struct_size: u32,
    pub flags: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub descriptor: *const Descriptor,
    pub methods: *const Methods,
    pub create: Option<unsafe extern "C" fn(*const Host, *mut *mut Instance, *const ErrorSink) -> Status>,
    pub destroy: Option<unsafe extern "C" fn(*mut Instance)>,
}

// Safety: these are constants that point only to constants.
unsafe impl Sync for Text {}
unsafe impl Sync for Descriptor {}
unsafe impl Sync for Methods {}
unsafe impl Sync for Entry {}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<Error>() == 72);
    assert!(size_of::<ErrorSink>() == 24);
    assert!(size_of::<Book>() == 288 && offset_of!(Book, size) == 224 && offset_of!(Book, format) == 232);
    assert!(offset_of!(UploadItem, book) == 64);
    assert!(size_of::<ItemResult>() == 96 && offset_of!(ItemResult, domain) == 80);
    assert!(size_of::<FileInfo>() == 56 && size_of::<PushItem>() == 32);
    assert!(offset_of!(Transport, list) == 32 && offset_of!(Transport, remove) == 96);
    assert!(size_of::<Host>() == 64 && size_of::<Descriptor>() == 200);
    assert!(size_of::<Methods>() == 136 && offset_of!(Methods, get_file) == 104);
    assert!(size_of::<Entry>() == 48);
};
