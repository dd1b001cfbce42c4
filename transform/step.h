// Any step as text, as JSON, and as documentation: all derived from the rows of the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transform/steps.h"

namespace heddle {

/// Reads a line of a schedule. Errors (User, "syntax") point at the word in question.
Step read_step(const ScheduleText::Line& line);
/// The line that reads back as this step.
std::string print(const Step& step);

/// {"step": "split", "loop": "i", "by": 32, …}; fields at their defaults are left out.
std::string to_json(const Step& step);
/// The inverse. Errors (User, "syntax") name the member in question.
Step step_from_json(std::string_view text);

/// A row of the table without its types: what help and documentation show.
struct StepInfo {
    struct Field {
        std::string name, keyword, close, type, doc;
        bool required = false;
        std::string fallback;  ///< the default as text; empty where it says nothing
    };
    std::string verb, function, summary, example, before, after;
    std::vector<Field> fields;
    /// "split LOOP by INTEGER [into NAME, …] [separate] [peeled]"
    std::string usage() const;
};
/// Every step, in the order of the list.
const std::vector<StepInfo>& step_table();
/// What `heddle steps` prints: a line for each step, or everything about one. An unknown verb is an Error that lists all.
std::string steps_help();
std::string step_help(std::string_view verb);
/// The documentation page of all steps.
std::string steps_markdown();

}  // namespace heddle
