#include "target/dialect.h"

#include "ir/types.h"
#include "target/helpers.h"

namespace heddle {

const Dialect& dialect_of(Device device) {
    static const Dialect c{"static inline ", "void ", "", "", "static const ", "HEDDLE_RESTRICT ", "", true, true, {}, {}};
    static const Dialect cuda{"static __device__ inline ",
                              "extern \"C\" __global__ void ",
                              "",
                              "__shared__ ",
                              "static __device__ const ",
                              "__restrict__ ",
                              "__syncthreads();",
                              true,
                              true,
                              {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
                              {"blockIdx.x", "blockIdx.y", "blockIdx.z"}};
    static const Dialect opencl{"static inline ",
                                "__kernel void ",
                                "__global ",
                                "__local ",
                                "__constant ",
                                "restrict ",
                                "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
                                false,
                                false,
                                {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"},
                                {"get_group_id(0)", "get_group_id(1)", "get_group_id(2)"}};
    return device == Device::Cuda ? cuda : device == Device::OpenCl ? opencl : c;
}

namespace {

/// Limits of the integer types that the text uses.
std::string limits_text(const std::string& body, const char* suffix) {
    struct Limit {
        const char *name, *value;
        bool wide;
    };
    static constexpr Limit all[] = {{"INT8_MAX", "127", false},
                                    {"INT8_MIN", "(-128)", false},
                                    {"INT16_MAX", "32767", false},
                                    {"INT16_MIN", "(-32768)", false},
                                    {"INT32_MAX", "2147483647", false},
                                    {"INT32_MIN", "(-2147483647 - 1)", false},
                                    {"INT64_MAX", "9223372036854775807", true},
                                    {"INT64_MIN", "(-INT64_MAX - 1)", false},
                                    {"UINT8_MAX", "255", false},
                                    {"UINT16_MAX", "65535", false},
                                    {"UINT32_MAX", "4294967295u", false},
                                    {"UINT64_MAX", "18446744073709551615u", true}};
    std::string out;
    for (const Limit& l : all) {
        const bool through = std::string(l.name) == "INT64_MAX" && body.find("INT64_MIN") != std::string::npos;
        if (body.find(l.name) != std::string::npos || through)
            out += std::string("#define ") + l.name + " " + l.value + (l.wide ? suffix : "") + "\n";
    }
    return out;
}

std::string types_text(const std::string& body, const char* wide) {
    std::string out;
    const auto type = [&](const char* name, const std::string& text) {
        if (body.find(name) != std::string::npos) out += "typedef " + text + " " + name + ";\n";
    };
    for (const char* sign : {"", "u"}) {
        const std::string s = sign[0] ? "unsigned " : "";
        type((std::string(sign) + "int8_t").c_str(), sign[0] ? "unsigned char" : "signed char");
        type((std::string(sign) + "int16_t").c_str(), s + "short");
        type((std::string(sign) + "int32_t").c_str(), s + "int");
        type((std::string(sign) + "int64_t").c_str(), s + wide);
    }
    return out;
}

}  // namespace

std::string device_prelude(Device device, const std::string& body) {
    const auto uses = [&](const char* word) { return body.find(word) != std::string::npos; };
    std::string out;
    if (device == Device::OpenCl) {
        if (uses("double")) out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
        if (uses("atom_")) out += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
        out += "#pragma OPENCL FP_CONTRACT OFF\n\n" + types_text(body, "long") + limits_text(body, "L");
    } else {
        out += "#ifdef __CUDACC_RTC__\n" + types_text(body, "long long") + limits_text(body, "LL");
        if (uses("INFINITY")) out += "#define INFINITY __int_as_float(0x7f800000)\n";
        if (uses("NAN")) out += "#define NAN __int_as_float(0x7fffffff)\n";
        out += "#else\n#include <math.h>\n#include <stdint.h>\n#endif\n";
    }
    for (const DType type : {DType::C64, DType::C128})
        if (uses(c_type(type).c_str())) out += complex_type_text(type);
    return out + "\n";
}

}  // namespace heddle
