// Sequences on disk: one file with a checksum, which holds the code of the kernels too.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "runtime/cache/entry.h"
#include "runtime/cache/identity.h"
#include "runtime/descriptor.h"
#include "runtime/device/driver.h"
#include "runtime/freeze.h"
#include "runtime/status.h"

namespace heddle::runtime {
namespace {

[[noreturn]] void cannot_save(const std::string& why) {
    throw RuntimeError(Code::BadArgument, "this recording cannot be saved: " + why);
}

/// C text of a function that calls another through its address, with arguments as CFunction::Call has them.
std::string caller_text(const std::string& signature) {
    std::vector<std::string> types;
    for (std::size_t at = 0; at <= signature.size();) {
        const std::size_t end = std::min(signature.find(',', at), signature.size());
        types.push_back(signature.substr(at, end - at));
        at = end + 1;
    }
    std::string parameters, arguments;
    for (std::size_t k = 1; k < types.size(); ++k) {
        parameters += (k > 1 ? ", " : "") + types[k];
        arguments += fmt::format("{}*(const {}*)(values + {})", k > 1 ? ", " : "", types[k], k - 1);
    }
    const std::string call =
        fmt::format("(({} (*)({}))address)({})", types[0], parameters.empty() ? "void" : parameters, arguments);
    return fmt::format(
        "#include <stdbool.h>\n#include <stdint.h>\nint heddle_call(void* address, const uint64_t* values) {{\n    "
        "{}{};\n{}}}\n",
        types[0] == "void" ? "" : "return ", call, types[0] == "void" ? "    return 0;\n" : "");
}

CompileOptions caller_options() {
    CompileOptions out;
    out.flags = {"-std=c11", "-O2", "-fno-strict-aliasing", "-w"};
    return out;
}

/// Numbers and texts one after another; reading stops with an error at the end.
class Out {
public:
    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void operator()(const T& v) { bytes_.append(reinterpret_cast<const char*>(&v), sizeof v); }
    void operator()(const std::string& text) {
        (*this)(std::uint64_t{text.size()});
        bytes_ += text;
    }
    template <class T>
    void list(const std::vector<T>& v) {
        (*this)(std::uint64_t{v.size()});
        for (const T& x : v) (*this)(x);
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

class In {
public:
    explicit In(std::string bytes) : bytes_(std::move(bytes)) {}
    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void operator()(T& v) { std::memcpy(&v, take(sizeof v), sizeof v); }
    void operator()(std::string& text) {
        const auto n = count();
        text.assign(take(n), n);
    }
    template <class T>
    void list(std::vector<T>& v) {
        v.resize(count());
        for (T& x : v) (*this)(x);
    }
    /// A number of things that follow, each of a byte at least.
    std::uint64_t count() {
        std::uint64_t n = 0;
        (*this)(n);
        if (n > bytes_.size() - at_) damaged();
        return n;
    }
    [[noreturn]] static void damaged() { throw RuntimeError(Code::LoadFailed, "the file of recordings is damaged"); }

private:
    const char* take(std::size_t n) {
        if (n > bytes_.size() - at_) damaged();
        at_ += n;
        return bytes_.data() + at_ - n;
    }
    std::string bytes_;
    std::size_t at_ = 0;
};

/// Reads or writes the fields of what has no pointers; one function for both ways.
template <class File, class F>
void transfer(File& file, F& f) requires std::is_same_v<std::remove_const_t<F>, Formula> {
    file(f.op), file(f.type), file(f.a), file(f.b), file(f.value.bits), file(f.fetched);
}
template <class File, class A>
void transfer(File& file, A& a) requires std::is_same_v<std::remove_const_t<A>, StepArgument> {
    file(a.memory), file(a.slot), file(a.formula), file(a.bytes);
}
template <class File, class S>
void transfer(File& file, S& s) requires std::is_same_v<std::remove_const_t<S>, Slot> {
    file(s.kind), file(s.leaf), file(s.place), file(s.bytes), file(s.first), file(s.last);
}
template <class File, class O>
void transfer(File& file, O& o) requires std::is_same_v<std::remove_const_t<O>, OutputArray> {
    file(o.slot), file(o.offset), file(o.element), file(o.rank), file(o.contiguous);
    for (auto& size : o.sizes) file(size);
    for (auto& stride : o.strides) file(stride);
}
template <class File, class G>
void transfer(File& file, G& g) requires std::is_same_v<std::remove_const_t<G>, Guard> {
    file(g.formula), file(g.expected.bits);
}
template <class File, class O>
void transfer(File& file, O& o) requires std::is_same_v<std::remove_const_t<O>, Overlap> {
    file(o.a), file(o.b), file(o.distance), file(o.same);
}
template <class File, class O>
void transfer(File& file, O& o) requires std::is_same_v<std::remove_const_t<O>, OutputNumber> {
    file(o.formula);
}
template <class File, class P>
void transfer(File& file, P& p) requires std::is_same_v<std::remove_const_t<P>, std::pair<std::uint32_t, std::uint32_t>> {
    file(p.first), file(p.second);
}
template <class T>
void transfer_list(Out& out, const std::vector<T>& v) {
    out(std::uint64_t{v.size()});
    for (const T& x : v) transfer(out, x);
}
template <class T>
void transfer_list(In& in, std::vector<T>& v) {
    v.resize(in.count());
    for (T& x : v) transfer(in, x);
}

/// All that a sequence has besides the structure of arguments, code, devices and steps.
template <class File, class S>
void transfer_data(File& file, S& s) {
    transfer_list(file, s.formulas);
    file(s.inputs);
    transfer_list(file, s.equal_sizes);
    transfer_list(file, s.guards);
    transfer_list(file, s.overlaps);
    transfer_list(file, s.slots);
    file.list(s.late_checks);
    file.list(s.result_structure);
    transfer_list(file, s.result_arrays);
    transfer_list(file, s.result_numbers);
}

enum class Kind : std::uint8_t { Call, Launch, Copy, Fetch };

std::string device_identity(const Device& d) { return fmt::format("{} {}", static_cast<int>(d.kind()), d.architecture()); }

/// Code and devices in the order in which they were first met.
class Writer {
public:
    void sequence(const Sequence& s) {
        std::vector<std::uint64_t> words = s.structure;
        for (std::uint64_t& w : words)
            if (structure::tag_of(w) == structure::Tag::Device && structure::payload_of(w) != 0)
                w = structure::word(structure::Tag::Device, device(s, structure::payload_of(w)));
        if (!s.captured.empty()) cannot_save("it uses an array that is no argument");
        body_.list(words);
        transfer_data(body_, s);
        body_(std::uint64_t{s.places.size()});
        for (const Place& p : s.places) body_(p.device ? device(*p.device) : 0u);
        std::uint64_t steps = 0;
        for (const Step& step : s.steps) steps += step.index() < 4 ? 1 : 0;
        body_(steps);
        for (const Step& step : s.steps) std::visit([&](const auto& at) { write(at); }, step);
    }
    std::string bytes() const {
        Out out;
        out.list(codes_);
        out.list(devices_);
        return out.bytes() + body_.bytes();
    }

private:
    std::uint32_t code(const std::string& bytes) {
        const auto [at, fresh] = code_numbers_.try_emplace(bytes, static_cast<std::uint32_t>(codes_.size()));
        if (fresh) codes_.push_back(bytes);
        return at->second;
    }
    /// From 1; 0 is the host.
    std::uint32_t device(const Device& d) {
        const std::string identity = device_identity(d);
        for (std::uint32_t k = 0; k < devices_.size(); ++k)
            if (devices_[k] == identity) return k + 1;
        devices_.push_back(identity);
        return static_cast<std::uint32_t>(devices_.size());
    }
    std::uint32_t device(const Sequence& s, std::uint64_t driver) {
        for (const Place& p : s.places)
            if (p.device && structure::payload_of(reinterpret_cast<std::uint64_t>(&p.device->driver())) == driver)
                return device(*p.device);
        cannot_save("an argument lies on a device that no step uses");
    }
    void arguments(const std::vector<StepArgument>& list) { transfer_list(body_, list); }
    void write(const CallStep& s) {
        const CFunction& f = *s.function;
        if (!f.source) cannot_save("the code of '" + f.name + "' is in this process only");
        body_(Kind::Call), body_(f.name), body_(f.signature);
        body_(code(*compile_c_object(f.source->text(), f.source->options())));
        body_(code(*compile_c_object(caller_text(f.signature), caller_options())));
        arguments(s.arguments);
    }
    void write(const LaunchStep& s) {
        const DeviceProgram& p = s.function->program;
        body_(Kind::Launch), body_(s.function->name), body_(device(p.device())), body_(code(*p.binary())),
            body_(code(p.text()));
        for (const auto b : s.blocks) body_(b);
        for (const auto l : s.lanes) body_(l);
        body_(s.shared_bytes);
        arguments(s.arguments);
    }
    void write(const CopyStep& s) {
        body_(Kind::Copy), body_(s.bytes), body_(s.place), body_(s.kind);
        arguments({s.to, s.from});
    }
    void write(const FetchStep& s) {
        body_(Kind::Fetch), body_(s.place), body_(s.formula), body_(s.bytes);
        arguments({s.from});
    }
    void write(const AllocateStep&) {}
    void write(const ReleaseStep&) {}

    std::map<std::string, std::uint32_t> code_numbers_;
    std::vector<std::string> codes_, devices_;
    Out body_;
};

class Reader {
public:
    Reader(std::string bytes, const std::vector<Device>& devices) : in_(std::move(bytes)) {
        in_.list(codes_);
        std::vector<std::string> wanted;
        in_.list(wanted);
        for (const std::string& w : wanted) devices_.push_back(find(w, devices));
        modules_.resize(codes_.size());
    }
    std::shared_ptr<const Sequence> sequence() {
        auto s = std::make_shared<Sequence>();
        in_.list(s->structure);
        transfer_data(in_, *s);
        for (std::uint64_t& w : s->structure)
            if (structure::tag_of(w) == structure::Tag::Device && structure::payload_of(w) != 0)
                w = structure::word(
                    structure::Tag::Device,
                    reinterpret_cast<std::uint64_t>(&device(static_cast<std::uint32_t>(structure::payload_of(w))).driver()));
        places(*s);
        for (std::uint64_t n = in_.count(); n > 0; --n) s->steps.push_back(step());
        link(*s);
        return s;
    }

private:
    static Device find(const std::string& wanted, const std::vector<Device>& devices) {
        for (const Device& d : devices)
            if (device_identity(d) == wanted) return d;
        throw RuntimeError(Code::LoadFailed, "the recordings are for another device than those given: " + wanted);
    }
    const Device& device(std::uint32_t number) const {
        if (number == 0 || number > devices_.size()) In::damaged();
        return devices_[number - 1];
    }
    void places(Sequence& s) {
        for (std::uint64_t n = in_.count(); n > 0; --n) {
            std::uint32_t number = 0;
            in_(number);
            s.places.push_back(number == 0 ? Place() : Place(device(number)));
        }
    }
    std::uint32_t code() {
        std::uint32_t number = 0;
        in_(number);
        if (number >= codes_.size()) In::damaged();
        return number;
    }
    const Module& module(std::uint32_t number) {
        if (!modules_[number]) modules_[number] = load_module(codes_[number]);
        return *modules_[number];
    }
    Step step() {
        Kind kind{};
        in_(kind);
        if (kind == Kind::Call) return call();
        if (kind == Kind::Launch) return launch();
        std::vector<StepArgument> list;
        if (kind == Kind::Copy) {
            CopyStep s{};
            in_(s.bytes), in_(s.place), in_(s.kind);
            transfer_list(in_, list);
            if (list.size() != 2) In::damaged();
            s.to = list[0], s.from = list[1];
            return s;
        }
        FetchStep s{};
        in_(s.place), in_(s.formula), in_(s.bytes);
        transfer_list(in_, list);
        if (kind != Kind::Fetch || list.size() != 1) In::damaged();
        s.from = list[0];
        return s;
    }
    Step call() {
        auto f = std::make_shared<CFunction>();
        in_(f->name), in_(f->signature);
        const Module object = module(code()), caller = module(code());
        f->address = object.symbol(f->name);
        f->call = reinterpret_cast<CFunction::Call>(caller.symbol("heddle_call"));
        f->keep = std::make_shared<std::pair<Module, Module>>(object, caller);
        CallStep s{std::move(f), {}};
        transfer_list(in_, s.arguments);
        return s;
    }
    Step launch() {
        std::string name;
        std::uint32_t number = 0;
        in_(name), in_(number);
        const Device& d = device(number);
        const std::uint32_t binary = code(), text = code();
        auto at = programs_.find(binary);
        if (at == programs_.end())
            at = programs_.emplace(binary, d.load(std::make_shared<const std::string>(codes_[binary]), codes_[text])).first;
        LaunchStep s{
            std::make_shared<const DeviceFunction>(DeviceFunction{at->second, &at->second.loaded().function(name), name}),
            {},
            {},
            0,
            {}};
        for (auto& b : s.blocks) in_(b);
        for (auto& l : s.lanes) in_(l);
        in_(s.shared_bytes);
        transfer_list(in_, s.arguments);
        return s;
    }

    In in_;
    std::vector<std::string> codes_;
    std::vector<Device> devices_;
    std::vector<std::optional<Module>> modules_;
    std::map<std::uint32_t, DeviceProgram> programs_;
};

std::string key_of(const std::string& signature) {
    return "heddle " HEDDLE_VERSION " recordings 1\n" + signature + "\n" + processor_identity();
}

}  // namespace

void save_sequences(const FrozenCore::List& list, const std::string& path, const std::string& signature) {
    Writer writer;
    for (const auto& s : list) writer.sequence(*s);
    Out out;
    out(std::uint64_t{list.size()});
    const std::string bytes = encode_entry(key_of(signature), out.bytes() + writer.bytes());
    const std::string fresh = path + ".new";
    Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file || !write_all(file.get(), bytes) || !file.close() || ::rename(fresh.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        ::unlink(fresh.c_str());
        throw RuntimeError(Code::Io, "cannot write the recordings to " + path + ": " + why);
    }
}

FrozenCore::List load_sequences(const std::string& path, const std::vector<Device>& devices, const std::string& signature) {
    const auto bytes = read_file(path);
    if (!bytes) throw RuntimeError(Code::Io, "cannot read the recordings in " + path + ": " + std::strerror(errno));
    auto entry = decode_entry(*bytes);
    if (!entry) In::damaged();
    if (entry->key != key_of(signature))
        throw RuntimeError(Code::LoadFailed,
                           "the recordings in " + path +
                               " are of another version, for another processor, or of a function with other arguments");
    std::uint64_t count = 0;
    std::memcpy(&count, entry->object.data(), sizeof count);
    Reader reader(entry->object.substr(sizeof count), devices);
    FrozenCore::List out;
    for (; count > 0; --count) out.push_back(reader.sequence());
    return out;
}

}  // namespace heddle::runtime
