"""The contract of overlayhost as Python objects, for overlays written in Python.

Subclass `Overlay`, set its attributes, and define its methods; docs/abi.md and include/overlay_methods.h describe each method. You
need not change this file: it generates everything from the contract's table of signatures.

How values look in Python:

- A record is a `Record` with the fields as attributes: texts are `str`, bytes are `bytes`, lists are lists. An absent value is None.
  Instead of a `Record` you may pass any object with attributes of these names, such as a dataclass, or a dict.
- A method gets its arguments in the order of the contract. Instead of a sink it gets a function `put`, which it calls for each row:
  `put(record)`, `put(title="…")`, or for sinks of several values `put(chunk, offset, total)`. There is no `error`: raise `Failure`.
- A service is an attribute of `self.host`, such as `self.host.transport`. A function with a sink returns the rows as a list, or calls
  the function that you pass instead of the sink for each row. Output arguments are returned. Errors are raised as `Failure`.
"""

import contextlib
import ctypes
import traceback

from overlayvalues import *


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
    """Raised when the host wants no more rows. Do not catch it."""


class Overlay:
    """An instance of an overlay. All its methods run on one thread, one at a time.

    The class describes the overlay in attributes named like the fields of `ovl_descriptor`."""

    def __init__(self, host):
        self.host = host


def receive(argument, word):
    """Converts an argument from the host."""
    if argument.kind in NUMBERS:
        return word
    if not word:
        return None
    if argument.kind == SINK:
        return Put(argument.shape, word)
    return read(argument.kind, argument.shape, word) if argument.kind != RECORD else argument.shape.read(word)


# ---- sinks ----------------------------------------------------------------------------------------------------------


class Put:
    """A sink of the host, called for each row. Raises `Stopped` when the host wants no more rows."""

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
    """A sink of the overlay: passes each row to a function, or collects the rows."""

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
        # An exception must not pass through the host.
        try:
            self.take(*map(receive, self.signature.arguments[1:], words))
            return OK
        except BaseException as error:
            self.error = error
            return STOPPED


# ---- the host -------------------------------------------------------------------------------------------------------


class Service:
    """A service of the host. Its functions are methods. A service that the host lacks is false and has no methods."""

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
    """A function of the host as a Python function."""

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
        # Ask for the whole table; an older host fills in what it has.
        service = Service(shape, get(context, id, shape.size) or get(context, id, 0))
        setattr(self, name, service)
        return service


# ---- the overlay ----------------------------------------------------------------------------------------------------

instances = {}
def pointer_to(function):
    """Returns the address of a function, and keeps the function alive."""
    forever.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value


def told(errors, failure):
    """Reports an error to the host and returns its status. Raises if the error does not fit the contract."""
    status = NUMBERS[STATUS](failure.status).value
    if status == OK:
        raise ValueError("a Failure needs an error status, not OK")
    # The message may quote text that is not valid Unicode.
    fields = {name: readable(value) if isinstance(value, str) else value for name, value in vars(failure.record).items()}
    with contextlib.suppress(Stopped):
        Put(Shape.named("ovl_error_sink"), errors)(fields)
    return status


def readable(text):
    """Replaces the characters of a text that UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


def place(error, body):
    """Where an error occurred: the last line in the overlay's own code, or else the first line of the method."""
    own = (place.__code__.co_filename, checked.__code__.co_filename)
    lines = [f"{line.filename}, line {line.lineno}" for line in traceback.extract_tb(error.__traceback__)
             if line.filename not in own]
    if lines:
        return lines[-1]
    if error.__context__:
        return place(error.__context__, body)
    code = getattr(body, "__code__", None)
    return f"{code.co_filename}, line {code.co_firstlineno}" if code else "overlaykit"


def blamed(instance, errors, error, body):
    """Reports a mistake in the overlay. The message says where it is, and the log has the traceback. Returns the status.

    `body` is the method with the mistake, or None."""
    log = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    # An error while logging must not hide this one.
    with contextlib.suppress(Exception):
        instances[instance].host.log.write(LOG_ERROR, "python", readable(log))
    with contextlib.suppress(Exception):
        told(errors, Failure(FAILED, f"{message} ({place(error, body)})"))
    return FAILED


def guarded(signature, body, author=None):
    """Wraps the method `author` in a function that never raises."""

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
            content = checked(number, f"the result of {name}", argument, result, None)
            NUMBERS[argument.kind].from_address(words[place - 1]).value = content

    return guarded(signature, body, author)


def entry(signatures, count, module):
    """The address of the overlay's `ovl_entry`."""
    pointers = (ctypes.POINTER(SignatureRecord) * count).from_address(signatures)
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
