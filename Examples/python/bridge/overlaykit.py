"""What an overlay in Python is written against: the contract of overlayhost as Python objects.

Subclass `Overlay`, say what it is, and define the methods that it has; docs/abi.md and include/overlay_methods.h tell what each of
them is for. There is nothing to change here: all of it is made from the table of signatures that the contract brings.

How values look in Python:

- A record is a `Record` with the fields as attributes: texts are `str`, bytes are `bytes`, lists are lists. What is absent is None.
  In its place you may give any object with attributes of these names, such as a dataclass, or a dict.
- A method gets its arguments in the order of the contract. In place of a sink it gets a function `put`, to be called for each row:
  `put(record)`, `put(title="…")`, or for sinks of several values `put(chunk, offset, total)`. There is no `error`: raise `Failure`.
- A service is an attribute of `self.host`, such as `self.host.transport`. A function with a sink gives the rows as a list, or calls
  the function that you give in the sink's place for each. What a function writes, it returns. Errors are raised as `Failure`.
"""

import contextlib
import ctypes
import traceback

from overlay_constants import *

# Beside the numbers that the headers name.
UNKNOWN = 2**64 - 1

# Kinds of values, in the order of overlay_signatures.h.
(VOID, I32, U32, I64, U64, F64, STATUS, FILE_ID, TEXT, BYTES, TEXTS, LIST, RECORD, SINK, INSTANCE, CONTEXT, TABLE, FUNCTION,
 STRUCT_SIZE, FLAGS, RESERVED) = range(21)

NUMBERS = {
    I32: ctypes.c_int32, U32: ctypes.c_uint32, I64: ctypes.c_int64, U64: ctypes.c_uint64, F64: ctypes.c_double,
    STATUS: ctypes.c_int32, FILE_ID: ctypes.c_uint64, FLAGS: ctypes.c_uint32,
}


# What a value of each kind is, for people.
KINDS = dict.fromkeys(NUMBERS, "a number") | {
    TEXT: "a text", BYTES: "bytes", TEXTS: "a list of texts", LIST: "a list of records", RECORD: "a record"}


def mistake(text):
    """A TypeError that says all there is to say."""
    error = TypeError(text)
    error.says_all = True
    return error


class Record:
    """A record of the contract. Fields that are absent are None."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __repr__(self):
        return "Record(%s)" % ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items() if v is not None)


class Failure(Exception):
    """An error of the contract: raise it to end a method, catch it from a service."""

    def __init__(self, status, message, hint=None, **fields):
        super().__init__(message)
        self.record = Record(status=status, message=message, hint=hint, **fields)

    @property
    def status(self):
        return self.record.status

    @property
    def message(self):
        return self.record.message


class Stopped(Exception):
    """The host wants no more rows. Let it pass."""


class Overlay:
    """An instance of an overlay. All its methods run on one thread, one at a time.

    Attributes of the class with the names of the fields of `ovl_descriptor` say what it is."""

    def __init__(self, host):
        self.host = host


# ---- the table of signatures ----------------------------------------------------------------------------------------


class _Record(ctypes.Structure):
    pass


class _Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_uint32), ("is_out", ctypes.c_uint32),
                ("nullable", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("record", ctypes.POINTER(_Record))]


class _Function(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_uint32), ("thread", ctypes.c_uint32),
                ("states", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("result", ctypes.c_uint32),
                ("count", ctypes.c_uint32), ("arguments", ctypes.POINTER(_Argument))]


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", ctypes.c_uint32), ("size", ctypes.c_uint32), ("kind", ctypes.c_uint32),
                ("flag", ctypes.c_uint32), ("record", ctypes.POINTER(_Record)), ("function", ctypes.POINTER(_Function))]


_Record._fields_ = [("name", ctypes.c_char_p), ("service", ctypes.c_char_p), ("size", ctypes.c_uint32),
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
        """A record as bytes; what these point to is kept in `memory`."""
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
        """The address of a table with these numbers and pointers, which stays."""
        content = bytearray(self.size)
        for field in self.fields:
            value = self.size if field.kind == STRUCT_SIZE else values.get(field.name, 0)
            content[field.offset:field.offset + field.size] = value.to_bytes(field.size, "little")
        return kept(bytes(content))


def word(address):
    return ctypes.c_uint64.from_address(address).value


def read(kind, shape, address):
    """The value at an address."""
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
    """Pointer and number of something that stays where it is as long as `memory`."""
    memory.append(ctypes.create_string_buffer(content, max(len(content), 1)))
    return ctypes.addressof(memory[-1]).to_bytes(8, "little") + count.to_bytes(8, "little")


def write(kind, shape, value, memory):
    """A value as the bytes of a field."""
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


def checked(convert, place, what, value, memory):
    """What a function makes of a value of the overlay, whose place in the contract is named if it does not fit."""
    try:
        return convert(what.kind, what.shape, value, memory)
    except (TypeError, AttributeError, ValueError, OverflowError) as error:
        if hasattr(error, "says_all"):
            raise
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:79] + "…"
        raise mistake(f"{place} is {KINDS.get(what.kind, 'something else')} and cannot be {shown}") from None


def receive(argument, word):
    """An argument that the other side gave."""
    if argument.kind in NUMBERS:
        return word
    if not word:
        return None
    if argument.kind == SINK:
        return Put(argument.shape, word)
    return read(argument.kind, argument.shape, word) if argument.kind != RECORD else argument.shape.read(word)


def send(function, argument, value, memory):
    """An argument of a function of the other side."""
    place = f"{function.name}: {argument.name}"
    if argument.kind in NUMBERS:
        return checked(lambda kind, *_: NUMBERS[kind](value or 0).value, place, argument, value, memory)
    if value is None:
        return None
    memory.append(ctypes.create_string_buffer(checked(write, place, argument, value, memory)))
    return ctypes.addressof(memory[-1])


# ---- sinks ----------------------------------------------------------------------------------------------------------


class Put:
    """A sink of the host: called for each row. Raises `Stopped` when the host wants no more."""

    def __init__(self, shape, address):
        self.shape, self.address = shape, address
        context, function = shape.fields[2], shape.fields[3]
        self.signature = function.function
        self.context = word(address + context.offset)
        self.function = self.signature.type(word(address + function.offset))

    def __call__(self, *values, **fields):
        if fields:
            values += (fields,)
        memory = []
        words = [send(self.signature, *pair, memory) for pair in zip(self.signature.arguments[1:], values)]
        if self.function(self.context, *words) not in (OK, None):
            raise Stopped()


class Taker:
    """A sink of this side: hands each row to a function, or keeps it."""

    def __init__(self, shape, take=None):
        self.rows, self.error, self.take = [], None, take or self.keep
        context, function = shape.fields[2], shape.fields[3]
        self.signature = function.function
        self.code = self.signature.type(self.put)
        self.memory = ctypes.create_string_buffer(shape.size)
        address = ctypes.addressof(self.memory)
        ctypes.c_uint32.from_address(address).value = shape.size
        ctypes.c_void_p.from_address(address + function.offset).value = ctypes.cast(self.code, ctypes.c_void_p).value

    def keep(self, *values):
        self.rows.append(values[0] if len(values) == 1 else
                         Record(**dict(zip((a.name for a in self.signature.arguments[1:]), values))))

    def put(self, context, *words):
        # Nothing may be raised through the host.
        try:
            self.take(*map(receive, self.signature.arguments[1:], words))
            return OK
        except BaseException as error:
            self.error = error
            return STOPPED


# ---- the host -------------------------------------------------------------------------------------------------------


class Service:
    """A service of the host: its functions are methods. One that the host does not have is false and has none."""

    def __init__(self, shape, address):
        self._name, self._address = shape.service, address
        if not address:
            return
        length = ctypes.c_uint32.from_address(address).value
        context = next(field for field in shape.fields if field.kind == CONTEXT)
        for field in shape.fields:
            if field.function and field.offset + 8 <= length and word(address + field.offset):
                code = field.function.type(word(address + field.offset))
                setattr(self, field.name, bound(field.function, code, word(address + context.offset)))

    def __bool__(self):
        return bool(self._address)

    def __getattr__(self, name):
        raise Failure(NOT_SUPPORTED, f"This host has no function {name} of {self._name}.")


def bound(signature, code, context):
    """A function of the host as one of Python."""

    def call(*values):
        values, memory, words, written, takers, failures = list(values), [], [], [], [], None
        for argument in signature.arguments[1:]:
            if argument.is_out:
                memory.append(NUMBERS[argument.kind]())
                written.append(memory[-1])
                words.append(ctypes.addressof(memory[-1]))
            elif argument.kind == SINK and argument.shape.name == "ovl_error_sink":
                failures = Taker(argument.shape)
                words.append(ctypes.addressof(failures.memory))
            elif argument.kind == SINK:
                take = values.pop(0) if values else None
                if isinstance(take, Put) and take.shape is argument.shape:
                    words.append(take.address)
                else:
                    takers.append(Taker(argument.shape, take))
                    words.append(ctypes.addressof(takers[-1].memory))
            else:
                words.append(send(signature, argument, values.pop(0) if values else None, memory))
        if values:
            raise TypeError(f"{signature.name} takes fewer arguments")
        result = code(context, *words)
        for taker in takers:
            if taker.error:
                raise taker.error
        if signature.result != STATUS:
            return result
        if result != OK:
            if failures and failures.rows:
                failure = Failure(result, "")
                failure.record = failures.rows[0]
                failure.record.message = failure.record.message or f"{signature.name} failed."
                raise failure
            raise Stopped() if result == STOPPED else Failure(result, f"{signature.name} failed.")
        if written:
            numbers = [number.value for number in written]
            return numbers[0] if len(numbers) == 1 else tuple(numbers)
        return takers[0].rows if takers else None

    return call


class Host:
    """The host of one instance. Each service is an attribute."""

    def __init__(self, address):
        self.shape, self.address = Shape.named("ovl_host"), address
        record = self.shape.read(address)
        self.name, self.version, self.abi_minor = record.name, record.version, record.abi_minor

    def __getattr__(self, name):
        shape = next((s for s in Shape.known.values() if s.service and s.service.split(".")[-1].split("/")[0] == name), None)
        if not shape:
            raise AttributeError(name)
        context, function = self.shape.fields[2], next(f for f in self.shape.fields if f.name == "get_service")
        memory, get = [], function.function.type(word(self.address + function.offset))
        get_service = function.function
        id, context = send(get_service, get_service.arguments[1], shape.service, memory), word(self.address + context.offset)
        # The whole table; of an older host what it has.
        service = Service(shape, get(context, id, shape.size) or get(context, id, 0))
        setattr(self, name, service)
        return service


# ---- the overlay ----------------------------------------------------------------------------------------------------

instances = {}
# What the host has pointers to.
forever = []


def kept(content):
    """The address of bytes that stay."""
    forever.append(ctypes.create_string_buffer(content, len(content)))
    return ctypes.addressof(forever[-1])


def pointer_to(function):
    """The address of a function that stays."""
    forever.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value


def told(errors, failure):
    """Puts an error where the host wants it; the status that goes with it. Raises if the contract has no such error."""
    status = NUMBERS[STATUS](failure.status).value
    if status == OK:
        raise ValueError("a Failure needs a status that is no success")
    # The message may quote what came from anywhere.
    fields = {name: readable(value) if isinstance(value, str) else value for name, value in vars(failure.record).items()}
    with contextlib.suppress(Stopped):
        Put(Shape.named("ovl_error_sink"), errors)(fields)
    return status


def readable(text):
    """A text without what no UTF-8 can say."""
    return text.encode(errors="replace").decode()


def place(error, body):
    """Where in the overlay an error arose: the last line that is not of this file, else where the method begins."""
    lines = [f"{line.filename}, line {line.lineno}" for line in traceback.extract_tb(error.__traceback__)
             if line.filename != place.__code__.co_filename]
    if lines:
        return lines[-1]
    if error.__context__:
        return place(error.__context__, body)
    code = getattr(body, "__code__", None)
    return f"{code.co_filename}, line {code.co_firstlineno}" if code else "overlaykit"


def blamed(instance, errors, error, body):
    """Tells of a mistake in the overlay: the message says where, and the log how it came there. The status.

    `body` is the method in which it was made; None if it was in none."""
    log = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    # Not even a mistake in the rest of the overlay may hide this one.
    with contextlib.suppress(Exception):
        instances[instance].host.log.write(LOG_ERROR, "python", readable(log))
    with contextlib.suppress(Exception):
        told(errors, Failure(FAILED, f"{message} ({place(error, body)})"))
    return FAILED


def guarded(signature, body, author=None):
    """A function of the overlay that raises nothing; `author` is the method that it calls."""

    def call(*words):
        try:
            try:
                body(*words)
                return OK
            except Failure as failure:
                return told(words[-1], failure)
        except Stopped:
            return STOPPED
        except BaseException as error:
            return blamed(words[0], words[-1], error, author)

    return signature.type(call)


def method(signature, name, author):
    written = [(place, argument) for place, argument in enumerate(signature.arguments) if argument.is_out]

    def body(instance, *words):
        given = zip(signature.arguments[1:-1], words)
        values = [receive(argument, word) for argument, word in given if not argument.is_out]
        result = getattr(instances[instance], name)(*values)
        for place, argument in written:
            number = checked(lambda kind, *_: NUMBERS[kind](result).value, f"the result of {name}", argument, result, None)
            NUMBERS[argument.kind].from_address(words[place - 1]).value = number

    return guarded(signature, body, author)


def entry(signatures, count, module):
    """The address of the overlay's `ovl_entry`."""
    pointers = (ctypes.POINTER(_Record) * count).from_address(signatures)
    for pointer in pointers:
        Shape.of(pointer)
    kind = next(v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Overlay) and v is not Overlay)

    def create(host, made, errors):
        instance = kind(Host(host))
        token = ctypes.create_string_buffer(8)
        instances[ctypes.addressof(token)] = instance
        instance._token = token
        ctypes.c_void_p.from_address(made).value = ctypes.addressof(token)

    def destroy(instance):
        instances.pop(instance, None)

    shape, methods, described = (Shape.named(name) for name in ("ovl_entry", "ovl_methods", "ovl_descriptor"))
    functions = {field.name: field.function for field in shape.fields if field.function}
    table = methods.table({
        field.name: pointer_to(method(field.function, field.name, getattr(kind, field.name)))
        for field in methods.fields if field.function and hasattr(kind, field.name)})
    description = {field.name: getattr(kind, field.name) for field in described.fields if hasattr(kind, field.name)}
    address = shape.table({
        "abi_major": ABI_MAJOR, "abi_minor": ABI_MINOR, "methods": table,
        "descriptor": kept(described.write(description, forever)),
        "create": pointer_to(guarded(functions["create"], create)),
        "destroy": pointer_to(functions["destroy"].type(destroy))})
    return address
