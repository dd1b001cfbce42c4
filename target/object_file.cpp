// A relocatable ELF file with read-only data.
#include <elf.h>

#include <cstring>

#include "target/tables.h"

namespace heddle {
namespace {

constexpr std::size_t alignment = 64;

void pad(std::string& out, std::size_t multiple) { out.append((multiple - out.size() % multiple) % multiple, '\0'); }

template <class T>
void append(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint16_t this_machine() {
#if defined(__aarch64__)
    return EM_AARCH64;
#elif defined(__riscv)
    return EM_RISCV;
#elif defined(__powerpc64__)
    return EM_PPC64;
#else
    return EM_X86_64;
#endif
}

Elf64_Shdr section(std::uint32_t name, std::uint32_t type, std::size_t offset, std::size_t size, std::size_t align) {
    Elf64_Shdr s{};
    s.sh_name = name;
    s.sh_type = type;
    s.sh_offset = offset;
    s.sh_size = size;
    s.sh_addralign = align;
    return s;
}

}  // namespace

std::string object_file(const std::vector<LargeTable>& tables) {
    if (tables.empty()) return {};
    enum : std::uint16_t { none, data, symbols, strings, names, note, sections };
    std::string out(sizeof(Elf64_Ehdr), '\0'), symbol_table, text(1, '\0');
    append(symbol_table, Elf64_Sym{});
    pad(out, alignment);
    const std::size_t data_at = out.size();
    for (const auto& [symbol, table] : tables) {
        pad(out, alignment);
        Elf64_Sym s{};
        s.st_name = static_cast<std::uint32_t>(text.size());
        s.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
        s.st_other = STV_HIDDEN;
        s.st_shndx = data;
        s.st_value = out.size() - data_at;
        s.st_size = table->table->bytes.size();
        append(symbol_table, s);
        text += symbol + '\0';
        out.append(reinterpret_cast<const char*>(table->table->bytes.data()), table->table->bytes.size());
    }
    const std::size_t data_end = out.size();
    pad(out, 8);
    const std::size_t symbols_at = out.size(), strings_at = symbols_at + symbol_table.size();
    out += symbol_table + text;
    const std::size_t names_at = out.size();
    const std::string section_names("\0.rodata\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack\0", 52);
    out += section_names;
    const auto name = [&](const char* word) { return static_cast<std::uint32_t>(section_names.find(word)); };
    pad(out, 8);
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_REL;
    head.e_machine = this_machine();
    head.e_version = EV_CURRENT;
    head.e_shoff = out.size();
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = sections;
    head.e_shstrndx = names;
    std::memcpy(out.data(), &head, sizeof head);
    Elf64_Shdr rodata = section(name(".rodata"), SHT_PROGBITS, data_at, data_end - data_at, alignment);
    rodata.sh_flags = SHF_ALLOC;
    Elf64_Shdr symtab = section(name(".symtab"), SHT_SYMTAB, symbols_at, symbol_table.size(), 8);
    symtab.sh_link = strings;
    symtab.sh_info = 1;  // the first global symbol
    symtab.sh_entsize = sizeof(Elf64_Sym);
    append(out, Elf64_Shdr{});
    append(out, rodata);
    append(out, symtab);
    append(out, section(name(".strtab"), SHT_STRTAB, strings_at, text.size(), 1));
    append(out, section(name(".shstrtab"), SHT_STRTAB, names_at, section_names.size(), 1));
    append(out, section(name(".note.GNU-stack"), SHT_PROGBITS, names_at, 0, 1));
    return out;
}

}  // namespace heddle
