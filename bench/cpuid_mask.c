// Hides instruction sets from one process, so that programs that choose their kernels by CPUID choose older ones.
//
//   cc -O2 -shared -fPIC -o cpuid_mask.so bench/cpuid_mask.c
//   CPUID_MASK=avx2 LD_PRELOAD=./cpuid_mask.so PROGRAM       AVX-512, AMX and AVX-VNNI are hidden
//   CPUID_MASK=avxvnni LD_PRELOAD=./cpuid_mask.so PROGRAM    AVX-512 and AMX are hidden
//
// Linux on x86-64 can make CPUID fault (arch_prctl, ARCH_CPUID) where /proc/cpuinfo lists cpuid_fault. The fault's
// handler executes it and clears the bits of what is to be hidden. New threads inherit the fault; a new program starts
// without it and is given it by this library again. Where the kernel refuses, the program ends with status 70: a
// figure of a mask that is not there would be wrong.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ARCH_CPUID 0x1012
#define BIT(n) (1u << (n))

static int hides_avx_vnni;

static void clear(unsigned leaf, unsigned subleaf, unsigned *eax, unsigned *ebx, unsigned *ecx, unsigned *edx) {
    if (leaf == 7 && subleaf == 0) {
        // AVX-512 F, DQ, IFMA, PF, ER, CD, BW, VL.
        *ebx &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
        // AVX-512 VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ.
        *ecx &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
        // AVX-512 4VNNIW, 4FMAPS, VP2INTERSECT, FP16; AMX BF16, TILE, INT8.
        *edx &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
    } else if (leaf == 7 && subleaf == 1) {
        // AVX-512 BF16, AMX FP16, AVX-IFMA; AVX-VNNI-INT8, AVX-NE-CONVERT, AMX COMPLEX, AVX-VNNI-INT16, AVX10.
        *eax &= ~(BIT(5) | BIT(21) | BIT(23) | (hides_avx_vnni ? BIT(4) : 0));
        *edx &= ~(BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19));
    }
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)registers[REG_RIP];
    if (at[0] != 0x0f || at[1] != 0xa2) {
        // A fault of the program: it happens again, without us.
        signal(number, SIG_DFL);
        return;
    }
    unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
    unsigned eax, ebx, ecx, edx;
    syscall(SYS_arch_prctl, ARCH_CPUID, 1);
    __cpuid_count(leaf, subleaf, eax, ebx, ecx, edx);
    syscall(SYS_arch_prctl, ARCH_CPUID, 0);
    clear(leaf, subleaf, &eax, &ebx, &ecx, &edx);
    registers[REG_RAX] = eax;
    registers[REG_RBX] = ebx;
    registers[REG_RCX] = ecx;
    registers[REG_RDX] = edx;
    registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
    const char *mask = getenv("CPUID_MASK");
    if (!mask) {
        return;
    }
    hides_avx_vnni = !strcmp(mask, "avx2");
    if (!hides_avx_vnni && strcmp(mask, "avxvnni")) {
        fprintf(stderr, "cpuid_mask: CPUID_MASK is \"%s\": expected avx2 or avxvnni\n", mask);
        _exit(70);
    }
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    if (syscall(SYS_arch_prctl, ARCH_CPUID, 0)) {
        perror("cpuid_mask: this kernel or hypervisor does not let CPUID fault");
        _exit(70);
    }
}
