// Holds the table of signatures against the header: what the compiler knows about each field and each argument is
// deduced from its type and compared with the table. Prints what differs; the exit status is 1 if anything does.
#include "overlay_signatures.h"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

static int faults = 0;

static void fault(const std::string &where, const std::string &what) {
    std::printf("%s: %s\n", where.c_str(), what.c_str());
    faults++;
}

static void expect(bool holds, const std::string &where, const std::string &what) {
    if (!holds) fault(where, what);
}

// The names of all structs, from the golden layout; empty for every other type.
template <class T> struct Struct { static constexpr const char *name = ""; };
#define OVL_LAYOUT_STRUCT(record, size, alignment)                                                                     \
    template <> struct Struct<record> { static constexpr const char *name = #record; };
#define OVL_LAYOUT_FIELD(record, field, offset, size, alignment)
#include "overlay_layout_v1.def"
#undef OVL_LAYOUT_STRUCT
#undef OVL_LAYOUT_FIELD

static bool isSink(const std::string &name) {
    return name.size() > 5 && name.compare(name.size() - 5, 5, "_sink") == 0;
}

// Whether a value of type T may have a kind. Types that C cannot distinguish share their kinds.
template <class T> static bool mayBe(uint32_t kind) {
    if constexpr (std::is_same_v<T, int32_t>) return kind == OVL_KIND_I32 || kind == OVL_KIND_STATUS;
    else if constexpr (std::is_same_v<T, uint32_t>) return kind == OVL_KIND_U32;
    else if constexpr (std::is_same_v<T, int64_t>) return kind == OVL_KIND_I64;
    else if constexpr (std::is_same_v<T, uint64_t>) return kind == OVL_KIND_U64 || kind == OVL_KIND_FILE_ID;
    else if constexpr (std::is_same_v<T, double>) return kind == OVL_KIND_F64;
    else if constexpr (std::is_same_v<T, ovl_text>) return kind == OVL_KIND_TEXT;
    else if constexpr (std::is_same_v<T, ovl_bytes>) return kind == OVL_KIND_BYTES;
    else if constexpr (std::is_same_v<T, ovl_texts>) return kind == OVL_KIND_TEXTS;
    else if constexpr (std::is_same_v<T, ovl_list>) return kind == OVL_KIND_LIST;
    else if constexpr (std::is_same_v<T, ovl_instance *>) return kind == OVL_KIND_INSTANCE;
    else if constexpr (std::is_same_v<T, void *>) return kind == OVL_KIND_CONTEXT;
    else if constexpr (std::is_same_v<T, const void *>) return kind == OVL_KIND_TABLE;
    else if constexpr (std::is_same_v<T, void>) return kind == OVL_KIND_VOID;
    else if constexpr (Struct<T>::name[0] != '\0') return kind == (isSink(Struct<T>::name) ? OVL_KIND_SINK : OVL_KIND_RECORD);
    else return false;
}

// The record of a table row must be there exactly if its kind has one, and be the one the type names.
template <class T> static void checkRecord(const ovl_sig_record *record, uint32_t kind, const std::string &where) {
    bool needed = kind == OVL_KIND_LIST || kind == OVL_KIND_RECORD || kind == OVL_KIND_SINK;
    expect(needed == (record != nullptr), where, "has a record it should not have, or the other way round");
    if (!needed || record == nullptr || kind == OVL_KIND_LIST) return;
    expect(std::strcmp(Struct<T>::name, record->name) == 0, where, "names another record");
}

template <class T> static void checkArgument(const ovl_sig_arg &arg, const std::string &function) {
    std::string where = function + "(" + arg.name + ")";
    using Target = std::remove_pointer_t<T>;
    constexpr bool pointer = std::is_pointer_v<T> && !std::is_same_v<T, void *> && !std::is_same_v<T, ovl_instance *>;
    if constexpr (!pointer) {
        expect(mayBe<T>(arg.kind), where, "another kind");
        expect(arg.direction == OVL_DIRECTION_IN, where, "another direction");
        checkRecord<T>(arg.record, arg.kind, where);
    } else if constexpr (std::is_const_v<Target>) {
        expect(mayBe<std::remove_const_t<Target>>(arg.kind), where, "another kind behind the pointer");
        expect(arg.direction == OVL_DIRECTION_IN, where, "another direction");
        checkRecord<std::remove_const_t<Target>>(arg.record, arg.kind, where);
    } else {
        expect(mayBe<Target>(arg.kind), where, "another kind behind the pointer");
        expect(arg.direction == OVL_DIRECTION_OUT, where, "another direction");
        checkRecord<Target>(arg.record, arg.kind, where);
    }
}

template <class Result, class... Args>
static void checkFunction(const ovl_sig_function &function, const std::string &where, Result (*)(Args...)) {
    expect(mayBe<Result>(function.result), where, "another result");
    if (function.arg_count != sizeof...(Args)) return fault(where, "another number of arguments");
    uint32_t index = 0;
    (checkArgument<Args>(function.args[index++], where), ...);
}

template <class T> static void checkKind(const ovl_sig_field &field, const std::string &where) {
    std::string name = field.name;
    using Target = std::remove_const_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
        expect(field.kind == OVL_KIND_FUNCTION, where, "another kind");
        if (field.function == nullptr) return fault(where, "no function");
        expect(name == field.function->name, where, "the function has another name");
        expect(field.offset == field.function->offset, where, "the function has another offset");
        checkFunction(*field.function, where, T{});
    } else if constexpr (std::is_pointer_v<T> && Struct<Target>::name[0] != '\0') {
        expect(field.kind == OVL_KIND_TABLE, where, "another kind");
        expect(field.record != nullptr && std::strcmp(Struct<Target>::name, field.record->name) == 0, where, "another table");
    } else if (name.compare(0, 8, "reserved") == 0) {
        expect(field.kind == OVL_KIND_RESERVED, where, "is not reserved");
    } else if (name == "struct_size" || name == "flags") {
        expect(std::is_same_v<T, uint32_t>, where, "is not a uint32_t");
        expect(field.kind == (name == "flags" ? OVL_KIND_FLAGS : OVL_KIND_STRUCT_SIZE), where, "another kind");
    } else {
        expect(mayBe<T>(field.kind), where, "another kind");
        checkRecord<T>(field.record, field.kind, where);
    }
    expect((field.function != nullptr) == (field.kind == OVL_KIND_FUNCTION), where, "a function where none belongs");
}

static const ovl_sig_record *find(const char *name) {
    uint32_t count = 0;
    const ovl_sig_record *const *records = ovl_signatures_v1(&count);
    for (uint32_t i = 0; i < count; i++)
        if (std::strcmp(records[i]->name, name) == 0) return records[i];
    return nullptr;
}

static bool isView(const std::string &name) {
    return name == "ovl_text" || name == "ovl_bytes" || name == "ovl_texts" || name == "ovl_list";
}

static uint32_t fieldsChecked = 0;

template <class T>
static void checkField(const char *recordName, const char *fieldName, size_t offset, size_t size) {
    if (isView(recordName)) return;
    std::string where = std::string(recordName) + "." + fieldName;
    const ovl_sig_record *record = find(recordName);
    if (record == nullptr) return fault(where, "the record is missing in the table");
    for (uint32_t i = 0; i < record->field_count; i++) {
        const ovl_sig_field &field = record->fields[i];
        if (std::strcmp(field.name, fieldName) != 0) continue;
        fieldsChecked++;
        expect(field.offset == offset, where, "another offset");
        expect(field.size == size, where, "another size");
        return checkKind<T>(field, where);
    }
    fault(where, "the field is missing in the table");
}

// The fields of a record follow each other without a gap, so that none is missing and nothing is padding without a name.
static uint32_t checkWhole(const ovl_sig_record &record) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < record.field_count; i++) {
        const ovl_sig_field &field = record.fields[i];
        expect(field.offset == end, std::string(record.name) + "." + field.name, "a gap before it");
        end = field.offset + field.size;
        expect((field.flag & ~record.known_flags) == 0, std::string(record.name) + "." + field.name, "an unknown flag");
    }
    expect(end == record.size, record.name, "its fields do not add up to its size");
    return record.field_count;
}

int main() {
    uint32_t structs = 0;
#define OVL_LAYOUT_STRUCT(record, bytes, align)                                                                        \
    structs += !isView(#record);                                                                                       \
    if (!isView(#record)) {                                                                                            \
        const ovl_sig_record *found = find(#record);                                                                   \
        expect(found != nullptr && found->size == sizeof(record), #record, "is missing or has another size");          \
    }
#define OVL_LAYOUT_FIELD(record, field, place, bytes, align)                                                           \
    checkField<decltype(record::field)>(#record, #field, offsetof(record, field), sizeof(record::field));
#include "overlay_layout_v1.def"

    uint32_t count = 0, fields = 0;
    const ovl_sig_record *const *records = ovl_signatures_v1(&count);
    for (uint32_t i = 0; i < count; i++) fields += checkWhole(*records[i]);
    expect(count == structs, "the table", "has another number of records than the header");
    expect(fields == fieldsChecked, "the table", "has fields the header does not have");
    std::printf("%u records, %u fields, %d faults\n", count, fields, faults);
    return faults == 0 ? 0 : 1;
}
