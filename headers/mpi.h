// MPI's types and functions, of which no device code calls any. A function
// takes what it is given, and its arguments are compiled.
#pragma once

typedef struct evo_mpi_comm *MPI_Comm;
typedef struct evo_mpi_datatype *MPI_Datatype;
typedef struct evo_mpi_op *MPI_Op;
typedef struct evo_mpi_request *MPI_Request;
typedef struct evo_mpi_group *MPI_Group;
typedef struct evo_mpi_info *MPI_Info;
typedef struct evo_mpi_win *MPI_Win;
typedef struct evo_mpi_file *MPI_File;
typedef struct evo_mpi_errhandler *MPI_Errhandler;
typedef long long MPI_Offset;
typedef long MPI_Aint;
struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

#define EVO_MPI_VALUES(do_)                                                    \
  do_(MPI_Comm, COMM_WORLD) do_(MPI_Comm, COMM_SELF) do_(MPI_Comm, COMM_NULL)  \
      do_(MPI_Datatype, BYTE) do_(MPI_Datatype, CHAR) do_(                     \
          MPI_Datatype, SHORT) do_(MPI_Datatype, INT) do_(MPI_Datatype, LONG)  \
          do_(MPI_Datatype, FLOAT) do_(MPI_Datatype, DOUBLE) do_(              \
              MPI_Datatype, UNSIGNED) do_(MPI_Datatype, UNSIGNED_CHAR)         \
              do_(MPI_Datatype, UNSIGNED_LONG) do_(                            \
                  MPI_Datatype, LONG_LONG) do_(MPI_Datatype, LONG_LONG_INT)    \
                  do_(MPI_Datatype, UNSIGNED_LONG_LONG) do_(                   \
                      MPI_Datatype, C_BOOL) do_(MPI_Datatype, INT32_T)         \
                      do_(MPI_Datatype, INT64_T) do_(MPI_Datatype, UINT32_T)   \
                          do_(MPI_Datatype, UINT64_T) do_(MPI_Op, SUM)         \
                              do_(MPI_Op, MAX) do_(MPI_Op, MIN)                \
                                  do_(MPI_Op, PROD) do_(MPI_Op, LAND)          \
                                      do_(MPI_Op, LOR) do_(MPI_Op, BAND)       \
                                          do_(MPI_Op, BOR)                     \
                                              do_(MPI_Request, REQUEST_NULL)   \
                                                  do_(MPI_Info, INFO_NULL)     \
                                                      do_(MPI_Errhandler,      \
                                                          ERRORS_RETURN)
#define EVO_MPI_VALUE(T, name) extern const T MPI_##name;
EVO_MPI_VALUES(EVO_MPI_VALUE)
#undef EVO_MPI_VALUE
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 512
#define MPI_COMM_TYPE_SHARED 1
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3
double MPI_Wtime();

#define EVO_MPI_FUNCTIONS(do_)                                                 \
  do_(Abort) do_(Allgather) do_(Allgatherv) do_(Allreduce) do_(Alltoall)       \
      do_(Alltoallv) do_(Barrier) do_(Bcast) do_(Comm_dup) do_(Comm_free)      \
          do_(Comm_rank) do_(Comm_size) do_(Comm_split) do_(Comm_split_type)   \
              do_(Error_string) do_(Finalize) do_(Gather) do_(Gatherv) do_(    \
                  Get_processor_name) do_(Iallreduce) do_(Ibcast) do_(Init)    \
                  do_(Init_thread) do_(Initialized) do_(Finalized) do_(Irecv)  \
                      do_(Isend) do_(Recv) do_(Recv_init) do_(Reduce)          \
                          do_(Reduce_scatter) do_(Request_free) do_(Scan)      \
                              do_(Scatter) do_(Scatterv) do_(Send)             \
                                  do_(Send_init) do_(Sendrecv) do_(Start)      \
                                      do_(Startall) do_(Test) do_(Type_commit) \
                                          do_(Type_contiguous) do_(Type_free)  \
                                              do_(Type_size) do_(Type_vector)  \
                                                  do_(Wait) do_(Waitall)       \
                                                      do_(Waitany)
#define EVO_MPI_FUNCTION(name)                                                 \
  template <class... A> int MPI_##name(const A &...);
EVO_MPI_FUNCTIONS(EVO_MPI_FUNCTION)
#undef EVO_MPI_FUNCTION
