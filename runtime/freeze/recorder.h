// Notes what a function does while it runs once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "runtime/freeze/sequence.h"

namespace heddle::runtime {

/// While it lives, this thread records. Steps run as in a plain call and are noted when they have succeeded.
class Recorder {
public:
    Recorder();
    ~Recorder();
    Recorder(const Recorder&) = delete;
    std::uint32_t id() const { return mark_->id; }
    const std::shared_ptr<RecordingMark>& mark() const { return mark_; }

    /// The arguments: gives arrays and numbers their places. All inputs come before anything else.
    void bind_array(Array& array);
    Node bind_number(Element type, Value value);

    Node operation(Op op, Element type, const recording::Operand& a, const recording::Operand& b);
    void decided(const recording::Operand& number);
    void decided(Op op, const recording::Operand& a, const recording::Operand& b, bool result);
    /// A comparison that held and has to hold in every replay. One that depends on data is checked there, when it is known.
    void require(Op op, const recording::Operand& a, const recording::Operand& b);
    void call(const std::shared_ptr<const CFunction>& function, const recording::Given* given, std::size_t count);
    void launch(const std::shared_ptr<const DeviceFunction>& function, const Grid& grid, const recording::Given* given,
                std::size_t count);
    void copy(const Array& to, const Array& from, heddle_copy kind, const Place& place);
    Node fetch(const Array& from, const Size& index, Element element, Value value);
    void made(Array& array, const Place& place);
    bool owns(const Array& array) const;  ///< a temporary of this recording

    /// Ends the recording: it cannot be frozen. Throws RuntimeError(BadArgument), and so does `finish`.
    [[noreturn]] void refuse(const std::string& why);

    /// The results, in order; they lose their places.
    void result_array(Array& array);
    void result_number(const recording::Operand& number);
    /// The sequence. Throws RuntimeError(BadArgument) when something was refused or memory of the recording is held elsewhere.
    std::shared_ptr<const Sequence> finish(std::vector<std::uint64_t> structure, std::vector<std::uint64_t> results);

private:
    std::uint32_t formula(const recording::Operand& number);
    std::uint32_t constant(Element type, Value value);
    std::uint32_t add(const Formula& formula);
    std::uint32_t slot(const Array& array);
    std::uint32_t place(const Place& place);
    StepArgument argument(const recording::Given& given);
    StepArgument memory(const Array& array);
    void guard(std::uint32_t formula, Value expected);
    void step(Step step);
    void check_escapes();
    void equal_sizes();
    void aliasing();

    struct Made {
        std::uint32_t slot;
        std::weak_ptr<Block> block;
        long results = 0;  ///< arrays of the result that lie in it
    };
    std::shared_ptr<Sequence> sequence_;
    std::shared_ptr<RecordingMark> mark_;
    Recorder* outer_;
    std::string refused_;
    std::map<std::pair<Element, std::uint64_t>, std::uint32_t> constants_;
    std::map<std::pair<const Block*, const char*>, std::uint32_t> captured_;
    std::vector<Made> made_;
    std::vector<Range> ranges_;               ///< of the arguments
    std::vector<std::uint32_t> size_inputs_;  ///< formulas that are sizes of arrays
};

}  // namespace heddle::runtime
