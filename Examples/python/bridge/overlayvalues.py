"""The values of the contract and their layout in memory, from the table of signatures. Used by overlaykit.py; you need not change
this file."""

import ctypes
import traceback

from overlay_constants import *

# Constants that the headers do not name.
UNKNOWN = 2**64 - 1

# Kinds of values, in the order of overlay_signatures.h.
(VOID, I32, U32, I64, U64, F64, STATUS, FILE_ID, TEXT, BYTES, TEXTS, LIST, RECORD, SINK, INSTANCE, CONTEXT, TABLE, FUNCTION,
 STRUCT_SIZE, FLAGS, RESERVED) = range(21)

NUMBERS = {
    I32: ctypes.c_int32, U32: ctypes.c_uint32, I64: ctypes.c_int64, U64: ctypes.c_uint64, F64: ctypes.c_double,
    STATUS: ctypes.c_int32, FILE_ID: ctypes.c_uint64, FLAGS: ctypes.c_uint32,
}


# The name of each kind of value in error messages.
KINDS = dict.fromkeys(NUMBERS, "a number") | {
    TEXT: "a text", BYTES: "bytes", TEXTS: "a list of texts", LIST: "a list of records", RECORD: "a record"}


def mistake(text):
    """A TypeError whose message needs no addition."""
    error = TypeError(text)
    error.says_all = True
    return error


class Record:
    """A record of the contract. An absent field is None."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        return "Record(%s)" % ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items() if v is not None)


# ---- the table of signatures ----------------------------------------------------------------------------------------


class SignatureRecord(ctypes.Structure):
    pass


class _Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_uint32), ("is_out", ctypes.c_uint32),
                ("nullable", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("record", ctypes.POINTER(SignatureRecord))]


class _Function(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_uint32), ("thread", ctypes.c_uint32),
                ("states", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("result", ctypes.c_uint32),
                ("count", ctypes.c_uint32), ("arguments", ctypes.POINTER(_Argument))]


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_uint32), ("size", ctypes.c_uint32), ("kind", ctypes.c_uint32),
                ("flag", ctypes.c_uint32), ("record", ctypes.POINTER(SignatureRecord)), ("function", ctypes.POINTER(_Function))]


SignatureRecord._fields_ = [("name", ctypes.c_char_p), ("service", ctypes.c_char_p), ("size", ctypes.c_uint32),
                    ("known_flags", ctypes.c_uint32), ("count", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                    ("fields", ctypes.POINTER(_Field))]


class Argument:
    def __init__(self, raw):
        self.name, self.kind, self.is_out = raw.name.decode(), raw.kind, raw.is_out == 1
        self.shape = Shape.of(raw.record)


class Signature:
    """One function of the contract."""

    def __init__(self, raw):
        self.name, self.offset, self.result = raw.name.decode(), raw.offset, raw.result
        self.arguments = [Argument(raw.arguments[i]) for i in range(raw.count)]
        kinds = [ctypes.c_void_p if a.is_out else NUMBERS.get(a.kind, ctypes.c_void_p) for a in self.arguments]
        result = None if raw.result == VOID else NUMBERS.get(raw.result, ctypes.c_void_p)
        self.type = ctypes.CFUNCTYPE(result, *kinds)


class Field:
    def __init__(self, raw):
        self.name, self.offset, self.size, self.kind, self.flag = raw.name.decode(), raw.offset, raw.size, raw.kind, raw.flag
        self.shape = Shape.of(raw.record)
        self.function = Signature(raw.function.contents) if raw.function else None


class Shape:
    """A record, table or sink of the contract."""

    known = {}

    @classmethod
    def of(cls, raw):
        if not raw:
            return None
        address = ctypes.addressof(raw.contents)
        if address not in cls.known:
            shape = cls.known[address] = cls()
            shape.name, shape.size = raw.contents.name.decode(), raw.contents.size
            shape.service = raw.contents.service.decode() if raw.contents.service else None
            shape.fields = [Field(raw.contents.fields[i]) for i in range(raw.contents.count)]
        return cls.known[address]

    @classmethod
    def named(cls, name):
        return next(shape for shape in cls.known.values() if shape.name == name)

    # -- reading

    def read(self, address):
        """The record at an address."""
        length = ctypes.c_uint32.from_address(address).value
        flags = ctypes.c_uint32.from_address(address + 4).value
        record = Record()
        for field in self.fields:
            if field.kind in (STRUCT_SIZE, RESERVED):
                continue
            is_there = field.offset + field.size <= length and (not field.flag or flags & field.flag)
            setattr(record, field.name, read(field.kind, field.shape, address + field.offset) if is_there else None)
        return record

    # -- writing

    def write(self, value, memory):
        """Converts a record to bytes. Keeps the memory that they point to in `memory`."""
        values = value if isinstance(value, dict) else vars(value)
        names = {field.name for field in self.fields}
        for name in values:
            if name not in names:
                raise mistake(f"{self.name} has no field {name!r}")
        record = bytearray(self.size)
        flags = values.get("flags") or 0
        for field in self.fields:
            value = values.get(field.name)
            if field.kind == STRUCT_SIZE or field.kind == FLAGS or value is None:
                continue
            flags |= field.flag
            content = checked(write, f"{self.name.removeprefix('ovl_')}.{field.name}", field, value, memory)
            record[field.offset:field.offset + len(content)] = content
        record[0:4] = self.size.to_bytes(4, "little")
        record[4:8] = flags.to_bytes(4, "little")
        return bytes(record)

    def table(self, values):
        """Makes a permanent table of these numbers and pointers, and returns its address."""
        content = bytearray(self.size)
        for field in self.fields:
            value = self.size if field.kind == STRUCT_SIZE else values.get(field.name, 0)
            content[field.offset:field.offset + field.size] = value.to_bytes(field.size, "little")
        return kept(bytes(content))


def word(address):
    return ctypes.c_uint64.from_address(address).value


def read(kind, shape, address):
    """Reads the value at an address."""
    if kind in NUMBERS:
        return NUMBERS[kind].from_address(address).value
    if kind == RECORD:
        return shape.read(address)
    start = word(address)
    if not start or kind not in (TEXT, BYTES, TEXTS, LIST):
        return None
    size = word(address + 8)
    if kind == TEXTS:
        return [read(TEXT, None, start + 16 * i) or "" for i in range(size)]
    if kind == LIST:
        stride = word(address + 16)
        return [shape.read(start + stride * i) for i in range(size)]
    content = ctypes.string_at(start, size)
    return content.decode() if kind == TEXT else content


def view(content, count, memory):
    """Returns a pointer to the content, valid as long as `memory`, and a count."""
    memory.append(ctypes.create_string_buffer(content, max(len(content), 1)))
    return ctypes.addressof(memory[-1]).to_bytes(8, "little") + count.to_bytes(8, "little")


def write(kind, shape, value, memory):
    """Converts a value to the bytes of a field."""
    if kind in NUMBERS:
        return bytes(NUMBERS[kind](value))
    if kind == RECORD:
        return shape.write(value, memory)
    if kind == TEXT:
        content = value.encode()
        return view(content, len(content), memory)
    if kind == BYTES:
        return view(bytes(value), len(value), memory)
    if kind == TEXTS:
        return view(b"".join(write(TEXT, None, text, memory) for text in value), len(value), memory)
    if kind == LIST:
        return (view(b"".join(shape.write(element, memory) for element in value), len(value), memory)
                + shape.size.to_bytes(8, "little"))
    raise TypeError("a value of this kind cannot be given")


def number(kind, shape, value, memory):
    """Converts a value to a number."""
    return NUMBERS[kind](value).value


def checked(convert, place, what, value, memory):
    """Converts a value of the overlay. The error for an unsuitable value names its place in the contract."""
    try:
        return convert(what.kind, what.shape, value, memory)
    except (TypeError, AttributeError, ValueError, OverflowError) as error:
        # An error from the overlay's own code, such as a generator, says more than this one would.
        own = checked.__code__.co_filename
        if hasattr(error, "says_all") or any(line.filename != own for line in traceback.extract_tb(error.__traceback__)):
            raise
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:79] + "…"
        raise mistake(f"{place} is {KINDS.get(what.kind, 'something else')} and cannot be {shown}") from None


def send(function, argument, value, memory):
    """Converts an argument for a function of the host."""
    place = f"{function.name}: {argument.name}"
    if argument.kind in NUMBERS:
        return checked(number, place, argument, value or 0, memory)
    if value is None:
        return None
    memory.append(ctypes.create_string_buffer(checked(write, place, argument, value, memory)))
    return ctypes.addressof(memory[-1])


# Keeps alive what the host has pointers to.
forever = []


def kept(content):
    """Returns the address of bytes, and keeps them alive."""
    forever.append(ctypes.create_string_buffer(content, len(content)))
    return ctypes.addressof(forever[-1])
