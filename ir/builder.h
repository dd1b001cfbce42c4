// placeholder: fluent construction of kernels in C++
#pragma once
