#include "textflag.h"

// func inner8AVX2(q *int16, x *int8, n int) int32
//
// Adds up q[i]·x[i] over n, a multiple of 32 above 0: 16 bytes are widened to 16-bit
// words, multiplied with 16 words of q, and neighbours added, into 8 sums of 32 bits.
TEXT ·inner8AVX2(SB), NOSPLIT, $0-28
	MOVQ q+0(FP), AX
	MOVQ x+8(FP), BX
	MOVQ n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

loop:
	VPMOVSXBW (BX), Y2
	VPMOVSXBW 16(BX), Y3
	VPMADDWD (AX), Y2, Y2
	VPMADDWD 32(AX), Y3, Y3
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	ADDQ $64, AX
	ADDQ $32, BX
	SUBQ $32, CX
	JNE  loop

	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, AX
	VZEROUPPER
	MOVL AX, ret+24(FP)
	RET
