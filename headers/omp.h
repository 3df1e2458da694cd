// OpenMP's functions, of which no device code calls any.
#pragma once
extern "C" {
typedef void *omp_lock_t;
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_get_num_devices(void);
int omp_get_level(void);
int omp_in_parallel(void);
void omp_set_num_threads(int count);
void omp_set_dynamic(int allowed);
void omp_set_nested(int allowed);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *lock);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
}
