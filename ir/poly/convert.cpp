// Plain domains and forms to isl and back.
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/mat.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>
#include <climits>
#include <unordered_map>

#include "ir/error.h"
#include "ir/poly.h"

namespace heddle::poly {
namespace {

/// A pointer that a C call gave: null becomes the exception of isl's last error.
template <class T>
T* checked(T* p) {
    if (!p) isl::exception::throw_last_error(context());
    return p;
}

/// The columns of a conjunct's matrices: constant, parameters, dimensions, floors.
class Columns {
public:
    Columns(const std::vector<Name>& parameters, const std::vector<Name>& dims) {
        for (Name n : parameters) index_.emplace(n, next_++);
        for (Name n : dims) index_.emplace(n, next_++);
    }
    /// Gives every floor of the form a column, inner ones first.
    void add_floors(const Affine& a) {
        for (const auto& [atom, k] : a.terms)
            if (atom.is_floor() && !find_floor(atom)) {
                add_floors(*atom.numerator);
                floors.push_back(atom);
            }
    }
    int column(const Atom& atom) const { return atom.is_floor() ? next_ + *find_floor(atom) : index_.at(atom.symbol); }
    int count() const { return next_ + static_cast<int>(floors.size()); }

    std::vector<Atom> floors;

private:
    std::optional<int> find_floor(const Atom& atom) const {
        auto it = std::find(floors.begin(), floors.end(), atom);
        if (it == floors.end()) return std::nullopt;
        return static_cast<int>(it - floors.begin());
    }

    std::unordered_map<Name, int> index_;
    int next_ = 1;
};

/// A matrix under construction: frees itself unless released.
class Matrix {
public:
    Matrix(int rows, int columns) : mat_(checked(isl_mat_alloc(context().get(), rows, columns))) {
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) mat_ = checked(isl_mat_set_element_si(mat_, r, c, 0));
    }
    ~Matrix() { isl_mat_free(mat_); }
    Matrix(const Matrix&) = delete;
    isl_mat* release() { return std::exchange(mat_, nullptr); }

    void set(int row, int column, std::int64_t value) {
        if (value >= INT_MIN && value <= INT_MAX)
            mat_ = checked(isl_mat_set_element_si(mat_, row, column, static_cast<int>(value)));
        else
            mat_ = checked(isl_mat_set_element_val(mat_, row, column, isl_val_int_from_si(context().get(), value)));
    }
    /// Row = sign * form.
    void set(int row, const Columns& columns, const Affine& form, std::int64_t sign = 1) {
        set(row, 0, sign * form.constant);
        for (const auto& [atom, k] : form.terms) set(row, columns.column(atom), sign * k);
    }

private:
    isl_mat* mat_;
};

/// 0 <= numerator - denominator * floor <= denominator - 1, in two rows.
void set_floor(Matrix& m, int row, const Columns& columns, const Atom& floor) {
    int q = columns.column(floor);
    m.set(row, columns, *floor.numerator);
    m.set(row, q, -floor.denominator);
    m.set(row + 1, columns, *floor.numerator, -1);
    m.set(row + 1, 0, floor.denominator - 1 - floor.numerator->constant);
    m.set(row + 1, q, floor.denominator);
}

isl::basic_set to_basic_set(const Conjunct& c, const std::vector<Name>& parameters, const std::vector<Name>& dims,
                            const isl::space& space) {
    Columns columns(parameters, dims);
    int equalities = 0;
    for (const Constraint& x : c) {
        columns.add_floors(x.form);
        equalities += x.equality;
    }
    int floors = static_cast<int>(columns.floors.size());
    Matrix eq(equalities, columns.count()), ineq(static_cast<int>(c.size()) - equalities + 2 * floors, columns.count());
    int e = 0, i = 0;
    for (const Constraint& x : c) (x.equality ? eq : ineq).set(x.equality ? e++ : i++, columns, x.form);
    for (const Atom& f : columns.floors) {
        set_floor(ineq, i, columns, f);
        i += 2;
    }
    return isl::manage(checked(isl_basic_set_from_constraint_matrices(space.copy(), eq.release(), ineq.release(), isl_dim_cst,
                                                                      isl_dim_param, isl_dim_set, isl_dim_div)));
}

isl_space* name_dims(isl_space* space, isl_dim_type type, const std::vector<Name>& names) {
    for (std::size_t k = 0; k < names.size(); ++k)
        space = checked(isl_space_set_dim_name(space, type, static_cast<unsigned>(k), names[k].c_str()));
    return space;
}

isl::space set_space(const std::vector<Name>& parameters, const std::vector<Name>& dims, Name tuple) {
    isl_space* s = checked(isl_space_set_alloc(context().get(), parameters.size(), dims.size()));
    s = name_dims(name_dims(s, isl_dim_param, parameters), isl_dim_set, dims);
    if (!tuple.empty()) s = checked(isl_space_set_tuple_name(s, isl_dim_set, tuple.c_str()));
    return isl::manage(s);
}

/// The symbols that are no dims, sorted.
std::vector<Name> parameters_of(std::vector<Name> all, const std::vector<Name>& dims) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase_if(all, [&](Name n) { return std::find(dims.begin(), dims.end(), n) != dims.end(); });
    return all;
}

std::int64_t integer_of(isl_val* v) {
    isl::val value = isl::manage(checked(v));
    isl::val back = isl::manage(checked(isl_val_int_from_si(context().get(), isl_val_get_num_si(value.get()))));
    if (!value.eq(back)) throw user_error("overflow", "a number in the analysis of this kernel does not fit 64 bits");
    return isl_val_get_num_si(value.get());
}

/// The symbols of a space's parameters and, by the given names, its dimensions; the floors of a local space as forms.
struct Reader {
    std::vector<Affine> parameters, dims, floors;

    Reader(isl_local_space* ls, const std::vector<Name>& names) {
        for (int k = 0, n = isl_local_space_dim(ls, isl_dim_param); k < n; ++k)
            parameters.push_back(Affine::symbol(isl_local_space_get_dim_name(ls, isl_dim_param, k)));
        for (Name n : names) dims.push_back(Affine::symbol(n));
        for (int k = 0, n = isl_local_space_dim(ls, isl_dim_div); k < n; ++k) {
            isl::aff div = isl::manage(checked(isl_local_space_get_div(ls, k)));
            auto [numerator, denominator] = fraction(div.get());
            floors.push_back(Affine::floor_div(numerator, denominator));
            defining.push_back(numerator - denominator * floors.back());
            defining.push_back(Affine(denominator - 1) - defining.back());
        }
    }
    /// A rational form as numerator and denominator.
    std::pair<Affine, std::int64_t> fraction(isl_aff* a) const {
        isl::val denominator = isl::manage(checked(isl_aff_get_denominator_val(a)));
        auto scaled = [&](isl_val* v) { return integer_of(isl_val_mul(checked(v), denominator.copy())); };
        Affine sum(scaled(isl_aff_get_constant_val(a)));
        auto add = [&](isl_dim_type type, const std::vector<Affine>& of) {
            for (std::size_t k = 0; k < of.size(); ++k)
                if (auto c = scaled(isl_aff_get_coefficient_val(a, type, static_cast<int>(k)))) sum = sum + c * of[k];
        };
        add(isl_dim_param, parameters);
        add(isl_dim_in, dims);
        add(isl_dim_div, floors);
        return {sum, integer_of(denominator.release())};
    }
    Affine row(isl_mat* m, int r) const {
        int column = 0;
        Affine sum(integer_of(isl_mat_get_element_val(m, r, column++)));
        for (const auto* group : {&parameters, &dims, &floors})
            for (const Affine& symbol : *group)
                if (auto c = integer_of(isl_mat_get_element_val(m, r, column++))) sum = sum + c * symbol;
        return sum;
    }
    bool is_defining(const Affine& a) const { return std::find(defining.begin(), defining.end(), a) != defining.end(); }

private:
    std::vector<Affine> defining;  ///< what holds by the meaning of a floor
};

struct MatrixHolder {
    isl_mat* mat;
    ~MatrixHolder() { isl_mat_free(mat); }
};

void read_rows(isl_mat* mat, bool equality, const Reader& reader, Conjunct& out) {
    MatrixHolder hold{checked(mat)};
    for (int r = 0, n = isl_mat_rows(mat); r < n; ++r) {
        Constraint c{reader.row(mat, r), equality};
        if (!equality && reader.is_defining(c.form)) continue;
        if (normalise(c) != Truth::True) out.push_back(std::move(c));
    }
}

Conjunct from_basic_set(const isl::basic_set& s, const std::vector<Name>& names) {
    isl_local_space* ls = checked(isl_basic_set_get_local_space(s.get()));
    std::optional<Reader> reader;
    try {
        reader.emplace(ls, names);
    } catch (...) {
        isl_local_space_free(ls);
        throw;
    }
    isl_local_space_free(ls);
    Conjunct c;
    read_rows(isl_basic_set_equalities_matrix(s.get(), isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div), true, *reader, c);
    read_rows(isl_basic_set_inequalities_matrix(s.get(), isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div), false, *reader,
              c);
    return c;
}

isl_aff* aff_of(const Affine& a, const std::vector<Name>& parameters, const std::vector<Name>& dims, const isl::space& space) {
    isl_ctx* ctx = context().get();
    isl_aff* sum = checked(isl_aff_zero_on_domain_space(space.copy()));
    sum = isl_aff_add_constant_val(sum, isl_val_int_from_si(ctx, a.constant));
    for (const auto& [atom, k] : a.terms) {
        isl_val* v = isl_val_int_from_si(ctx, k);
        if (atom.is_floor()) {
            isl_aff* q = isl_aff_scale_down_val(aff_of(*atom.numerator, parameters, dims, space),
                                                isl_val_int_from_si(ctx, atom.denominator));
            sum = isl_aff_add(sum, isl_aff_scale_val(isl_aff_floor(q), v));
        } else if (auto d = std::find(dims.begin(), dims.end(), atom.symbol); d != dims.end()) {
            sum = isl_aff_add_coefficient_val(sum, isl_dim_in, static_cast<int>(d - dims.begin()), v);
        } else {
            auto p = std::lower_bound(parameters.begin(), parameters.end(), atom.symbol);
            sum = isl_aff_add_coefficient_val(sum, isl_dim_param, static_cast<int>(p - parameters.begin()), v);
        }
    }
    return checked(sum);
}

}  // namespace

isl::set to_set(const Domain& d, const std::vector<Name>& dims, Name tuple) {
    return guarded("", [&] {
        std::vector<Name> symbols;
        d.symbols(symbols);
        std::vector<Name> parameters = parameters_of(std::move(symbols), dims);
        isl::space space = set_space(parameters, dims, tuple);
        isl_set* sum = checked(isl_set_empty(space.copy()));
        for (const Conjunct& piece : d.pieces) {
            isl::basic_set s = to_basic_set(piece, parameters, dims, space);
            sum = isl_set_union(sum, isl_set_from_basic_set(s.release()));
        }
        return isl::manage(checked(sum));
    });
}

isl::set to_parameter_set(const Domain& d) {
    return guarded("", [&] { return isl::manage(checked(isl_set_params(to_set(d, {}).release()))); });
}

isl::map to_map(const Domain& d, const std::vector<Name>& in, Name in_tuple, const std::vector<Name>& out, Name out_tuple) {
    std::vector<Name> both = in;
    both.insert(both.end(), out.begin(), out.end());
    return guarded("", [&] {
        isl_map* m = isl_map_from_range(to_set(d, both).release());
        m = isl_map_move_dims(m, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(in.size()));
        if (!in_tuple.empty()) m = isl_map_set_tuple_name(m, isl_dim_in, in_tuple.c_str());
        if (!out_tuple.empty()) m = isl_map_set_tuple_name(m, isl_dim_out, out_tuple.c_str());
        return isl::manage(checked(m));
    });
}

Domain from_set(const isl::set& s, const std::vector<Name>& dims) {
    return guarded("", [&] {
        isl::set apart = isl::manage(checked(isl_set_compute_divs(isl_set_make_disjoint(isl_set_compute_divs(s.copy())))));
        Domain d = Domain::nothing();
        apart.foreach_basic_set([&](const isl::basic_set& b) { d.pieces.push_back(from_basic_set(b, dims)); });
        return d;
    });
}

isl::aff to_aff(const Affine& a, const std::vector<Name>& dims, Name tuple) {
    return guarded("", [&] {
        std::vector<Name> all;
        a.symbols(all);
        std::vector<Name> parameters = parameters_of(all, dims);
        return isl::manage(aff_of(a, parameters, dims, set_space(parameters, dims, tuple)));
    });
}

Affine from_aff(const isl::aff& a, const std::vector<Name>& dims) {
    return guarded("", [&] {
        isl_local_space* ls = checked(isl_aff_get_domain_local_space(a.get()));
        std::optional<Reader> reader;
        try {
            reader.emplace(ls, dims);
        } catch (...) {
            isl_local_space_free(ls);
            throw;
        }
        isl_local_space_free(ls);
        auto [numerator, denominator] = reader->fraction(a.get());
        require(denominator == 1, "from_aff: the form has an integer value");
        return numerator;
    });
}

}  // namespace heddle::poly
