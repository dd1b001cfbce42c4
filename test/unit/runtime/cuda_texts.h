// Hand-written CUDA, for the emulator and for NVRTC alike.
#pragma once

namespace heddle::test {

inline constexpr const char* cuda_right = R"cuda(
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * __ldg(&x[i]) + y[i];
}

#define TILE 16
extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul(int n, const float* a, const float* b, float* c) {
    __shared__ float at[TILE][TILE + 1], bt[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        at[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        bt[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int l = 0; l < TILE; l++) sum += at[threadIdx.y][l] * bt[l][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void tree_sum(int n, const double* x, double* sums) {
    __shared__ double part[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    part[t] = i < n ? x[i] : 0.0;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

__device__ __forceinline__ float warp_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}
extern "C" __global__ void shuffle_sum(const float* x, float* sum) {
    __shared__ float warps[32];
    const int t = threadIdx.x;
    const float v = warp_sum(x[blockIdx.x * blockDim.x + t]);
    if (t % warpSize == 0) warps[t / warpSize] = v;
    __syncthreads();
    if (t < 32) {
        const float all = warp_sum(t < blockDim.x / warpSize ? warps[t] : 0.0f);
        if (t == 0) atomicAdd(sum, all);
    }
}

extern "C" __global__ void reverse(int* x) {
    extern __shared__ int copy[];
    const int t = threadIdx.x, n = blockDim.x;
    copy[t] = x[blockIdx.x * n + t];
    __syncthreads();
    x[blockIdx.x * n + t] = copy[n - 1 - t];
}

extern "C" __global__ void histogram(int n, const unsigned char* x, unsigned* counts) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void places(uint3 size, int* out) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z) out[(z * size.y + y) * size.x + x] = 1 + x + 100 * y + 10000 * z;
}

extern "C" __global__ void lanes(int* out, unsigned* votes) {
    const int t = threadIdx.x;
    int* mine = out + 6 * t;
    mine[0] = __shfl_sync(0xffffffffu, 10 * t, 3);
    mine[1] = __shfl_up_sync(0xffffffffu, t, 2, 8);
    mine[2] = __shfl_down_sync(0xffffffffu, t, 2, 8);
    mine[3] = __shfl_xor_sync(0xffffffffu, t, 5);
    mine[4] = (int)__shfl_sync(0xffffffffu, 0.5 + t, t + 1, 4);
    mine[5] = __shfl_sync(0xffffffffu, (long long)t << 40, 31) >> 40;
    const unsigned odd = __ballot_sync(0xffffffffu, t & 1);
    const int any = __any_sync(0xffffffffu, t == 7), all = __all_sync(0xffffffffu, t < 31), active = __activemask() == 0xffffffffu;
    const int count = __syncthreads_count(t % 3 == 0);
    if (t == 0) votes[0] = odd, votes[1] = any, votes[2] = all, votes[3] = active, votes[4] = count;
}

extern "C" __global__ void warp_stages(int* x) {
    __shared__ int line[64];
    const int t = threadIdx.x, first = t / 32 * 32;
    line[t] = x[t];
    __syncwarp();
    const int next = line[first + (t + 1) % 32];
    __syncwarp();
    line[t] = next + 1;
    __syncwarp();
    x[t] = line[first + (t + 1) % 32];
}

__device__ int lock_word;
extern "C" __global__ void locked(int* counter) {
    for (bool done = false; !done;) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            *counter += 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
    }
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
    const int t = threadIdx.x;
    atomicAdd(&i[0], t), atomicMin(&i[1], -t), atomicMax(&i[2], t), atomicAnd(&i[3], ~(1 << t)), atomicOr(&i[4], 1 << t);
    atomicXor(&u[0], 1u << t), atomicSub(&i[5], 1), atomicExch(&u[1], 5u), atomicInc(&u[2], 9u);
    atomicAdd(l, 1ull << 33), atomicAdd(f, 0.5f), atomicAdd(d, 0.25);
}

extern "C" __global__ void access(int* x) { x[threadIdx.x] = 7; }

__constant__ float weights[4];
template <class T>
__global__ void weighted(T* x) { x[threadIdx.x] = min(max(x[threadIdx.x] * weights[threadIdx.x % 4], T(0)), T(1)) + rsqrtf(4.0f); }
)cuda";

inline constexpr const char* cuda_wrong = R"cuda(
extern "C" __global__ void no_barrier(const int* x, int* y) {
    __shared__ int line[64];
    const int t = threadIdx.x;
    line[t] = x[t];
    y[t] = line[63 - t];
}
extern "C" __global__ void no_second_barrier(int* y) {
    __shared__ int value;
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0) value = k;
        __syncthreads();
        y[threadIdx.x] += value;
    }
}
extern "C" __global__ void half_barrier(int* y) {
    if (threadIdx.x < 16) __syncthreads();
    y[threadIdx.x] = 1;
}
extern "C" __global__ void two_barriers(int* y) {
    if (threadIdx.x < 16) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    y[threadIdx.x] = 1;
}
extern "C" __global__ void absent_lanes(int* y) { y[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 8); }
extern "C" __global__ void half_shuffle(int* y) {
    if (threadIdx.x % 2) y[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 1);
    __syncthreads();
}
extern "C" __global__ void wrong_mask(int* y) { y[threadIdx.x] = __shfl_sync(0xffu, 1, 1); }
extern "C" __global__ void outside_static(int* y, int by) {
    __shared__ int tile[4][8];
    tile[threadIdx.x / 8][(int)(threadIdx.x % 8) + by] = 1;
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}
extern "C" __global__ void outside_dynamic(int* y, int by) {
    extern __shared__ int line[];
    line[(int)threadIdx.x + by] = 1;
    __syncthreads();
    y[threadIdx.x] = 1;
}
extern "C" __global__ void unwritten(int* y) {
    __shared__ int line[64];
    if (threadIdx.x < 31) line[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = line[threadIdx.x];
}
extern "C" __global__ void not_atomic(int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x == 9)
        sum += 1;
    else
        atomicAdd(&sum, 1);
    __syncthreads();
    y[threadIdx.x] = sum;
}
extern "C" __global__ void across_warps(int* y) {
    __shared__ char line[64];
    line[threadIdx.x] = 1;
    __syncwarp();
    y[threadIdx.x] = line[(threadIdx.x + 1) % 64];
}
extern "C" __global__ void forever(int* y) {
    while (atomicAdd(y, 0) == 0) {
    }
}
)cuda";

}  // namespace heddle::test
